// The tables of the game and of the page, made from Python: see apps/speicher_apps/web/tables.py.

const response = await fetch(new URL("tables.json", import.meta.url));

export const tables = await response.json();

export const actionOf = new Map(tables.actions.map((action) => [action.text, action]));
