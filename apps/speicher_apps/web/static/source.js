// Where games are: on the server of this page, or in this browser. Both have the same functions.

const { source: where } = document.documentElement.dataset;

export const source = await import(where === "browser" ? "./local.js" : "./served.js");
