/** One line on standard error, for whoever started the program from a terminal. */
export function complain(line: string): void {
  process.stderr.write(`xAgent Connector: ${line}\n`);
}
