/** Why what was typed is no port; each has words. */
export type PortProblem = 'empty' | 'not_a_number' | 'range' | 'reserved';

const HIGHEST = 65_535;
/** Below this most systems want a program to have rights that this one must not have. */
const LOWEST_FREE = 1024;

export type PortReading = { readonly port: number } | { readonly problem: PortProblem };

/** Reads a port as a person types it. */
export function readPort(text: string): PortReading {
  const typed = text.trim();
  if (typed === '') return { problem: 'empty' };
  if (!/^\d+$/.test(typed)) return { problem: 'not_a_number' };
  const port = Number(typed);
  if (port < 1 || port > HIGHEST) return { problem: 'range' };
  return port < LOWEST_FREE ? { problem: 'reserved' } : { port };
}
