/** The command could not be carried out; the code is stable. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  constructor(
    readonly code: string,
    message: string,
  ) {
    super(message);
  }
}
