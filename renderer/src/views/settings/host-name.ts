/** Why a name can't be one under which agents reach this computer; each has words. */
export type HostNameProblem =
  'empty' | 'scheme' | 'path' | 'space' | 'wildcard' | 'port' | 'characters' | 'too_long' | 'known';

/** Names under which the computer reaches itself; the server always takes them. */
export const OWN_NAMES: readonly string[] = ['127.0.0.1', 'localhost', '[::1]'];

/** Longest name in the domain name system. */
const MAX_LENGTH = 253;
const HIGHEST_PORT = 65_535;
/** A DNS name, an IPv4 address or an IPv6 address in brackets, then perhaps a port: what a Host header may hold. */
const HOST = /^(\[[0-9a-f:.]+\]|[a-z0-9](?:[a-z0-9._-]*[a-z0-9])?)(?::(\d*))?$/;

/** A name as it is compared with the Host header. */
export function cleanHostName(text: string): string {
  return text.trim().toLowerCase();
}

/** @returns why `name` (cleaned) can't be added to `known`; undefined when it can */
export function hostNameProblem(name: string, known: readonly string[]): HostNameProblem | undefined {
  if (name === '') return 'empty';
  if (name.includes('://')) return 'scheme';
  if (/\s/.test(name)) return 'space';
  if (name.includes('/')) return 'path';
  if (name.includes('*')) return 'wildcard';
  if (name.length > MAX_LENGTH) return 'too_long';
  if (OWN_NAMES.includes(name) || known.includes(name)) return 'known';
  const parts = HOST.exec(name);
  if (parts === null) return 'characters';
  const port = parts[2];
  return port === undefined || isPort(port) ? undefined : 'port';
}

function isPort(text: string): boolean {
  const port = Number(text);
  return text !== '' && port >= 1 && port <= HIGHEST_PORT;
}
