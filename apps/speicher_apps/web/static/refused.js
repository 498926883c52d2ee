// What a source of games answers to a request that it does not carry out.

/** A request that was refused, with its sentence; the status is that of HTTP. */
export class Refused extends Error {
  constructor(status, sentence) {
    super(sentence);
    this.status = status;
  }
}
