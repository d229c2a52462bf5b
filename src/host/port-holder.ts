import { execFile } from 'node:child_process';
import { readdir, readFile, readlink } from 'node:fs/promises';

/** The program that listens on a port. */
export interface PortHolder {
  readonly name: string;
  readonly pid: number;
}

/** A system tool that has not answered by then is given up; milliseconds. */
const TOOL_DEADLINE_MS = 3_000;
/** More than any of these tools has to say about one machine; bytes. */
const MAX_TOOL_OUTPUT = 4 * 1024 * 1024;
/** State of a listening socket in /proc/net/tcp. */
const LISTENING = '0A';

/** Who listens on a TCP port of this machine; undefined where the system does not say, as about another person's program. */
export async function findPortHolder(
  port: number,
  platform: NodeJS.Platform = process.platform,
): Promise<PortHolder | undefined> {
  try {
    switch (platform) {
      case 'linux':
        return await holderByProc(port);
      case 'darwin':
        return parseLsof(await run('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc']));
      case 'win32':
        return await holderByNetstat(port);
      default:
        return undefined;
    }
  } catch {
    return undefined;
  }
}

// ---------------------------------------------------------------- Linux

async function holderByProc(port: number): Promise<PortHolder | undefined> {
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((file) => readFile(file, 'utf8').catch(() => '')),
  );
  const inodes = new Set(tables.flatMap((table) => listeningInodes(table, port)));
  if (inodes.size === 0) return undefined;
  const pids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name));
  for (const pid of pids) {
    if (await hasSocket(pid, inodes)) {
      return { name: (await readFile(`/proc/${pid}/comm`, 'utf8')).trim(), pid: Number(pid) };
    }
  }
  return undefined;
}

/** Inodes of the sockets that listen on `port`, in the text of /proc/net/tcp. */
export function listeningInodes(table: string, port: number): string[] {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  return table.split('\n').flatMap((line) => {
    const [, local, , state, , , , , , inode] = line.trim().split(/\s+/);
    return local?.endsWith(`:${hex}`) === true && state === LISTENING && inode !== undefined ? [inode] : [];
  });
}

async function hasSocket(pid: string, inodes: ReadonlySet<string>): Promise<boolean> {
  const folder = `/proc/${pid}/fd`;
  // Another person's process does not show its files, and any may end meanwhile.
  const descriptors = await readdir(folder).catch(() => []);
  for (const descriptor of descriptors) {
    const target = await readlink(`${folder}/${descriptor}`).catch(() => '');
    const inode = /^socket:\[(\d+)\]$/.exec(target)?.[1];
    if (inode !== undefined && inodes.has(inode)) return true;
  }
  return false;
}

// ---------------------------------------------------------------- macOS, Windows

/** `lsof -F` gives a line for each fact: `p` and the number of the process, `c` and its name. */
export function parseLsof(output: string): PortHolder | undefined {
  const pid = /^p(\d+)$/m.exec(output)?.[1];
  const name = /^c(.+)$/m.exec(output)?.[1];
  return pid === undefined || name === undefined ? undefined : { name: name.trim(), pid: Number(pid) };
}

async function holderByNetstat(port: number): Promise<PortHolder | undefined> {
  const pid = parseNetstat(await run('netstat', ['-ano', '-p', 'TCP']), port);
  if (pid === undefined) return undefined;
  const name = parseTasklist(await run('tasklist', ['/FI', `PID eq ${pid}`, '/FO', 'CSV', '/NH']));
  return name === undefined ? undefined : { name, pid };
}

/** The process that listens on `port`, in what `netstat -ano` says; the word for listening is in the system's language. */
export function parseNetstat(output: string, port: number): number | undefined {
  for (const line of output.split(/\r?\n/)) {
    const match = /^\s*TCP\s+\S+:(\d+)\s+\S+:0\s+\S+\s+(\d+)\s*$/.exec(line);
    if (match !== null && Number(match[1]) === port) return Number(match[2]);
  }
  return undefined;
}

/** The name of the program in a line of `tasklist /FO CSV`. */
export function parseTasklist(output: string): string | undefined {
  return /^"([^"]+)"/m.exec(output)?.[1];
}

function run(tool: string, args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { timeout: TOOL_DEADLINE_MS, maxBuffer: MAX_TOOL_OUTPUT, windowsHide: true };
    execFile(tool, args, options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(new Error(`${tool} failed`, { cause: error }));
    });
  });
}
