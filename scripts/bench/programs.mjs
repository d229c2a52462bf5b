// Programs under measurement: started as whole processes, asked through a probe, ended by their id.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const PROBE = fileURLToPath(new URL('probe.cjs', import.meta.url));
/** Ample on a machine that is busy otherwise. */
const READY_MS = 60_000;
const STOP_MS = 10_000;

export const bare = (name) => fileURLToPath(new URL(`bare/${name}.cjs`, import.meta.url));

/**
 * Starts a Node program and waits for its first line, one JSON object.
 * @param probed whether it carries the probe, which must not count where start or idle costs are measured
 */
export async function startProgram(args, { env = {}, flags = [], probed = true } = {}) {
  const began = performance.now();
  const child = spawn(process.execPath, [...flags, ...(probed ? ['--require', PROBE] : []), ...args], {
    stdio: ['ignore', 'pipe', 'inherit', ...(probed ? ['ipc'] : [])],
    env: { ...process.env, ...env },
  });
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const ready = await new Promise((resolve, reject) => {
    const late = setTimeout(() => reject(new Error(`${args[0]} was not ready in time`)), READY_MS);
    createInterface({ input: child.stdout }).once('line', (line) => {
      clearTimeout(late);
      resolve(JSON.parse(line));
    });
    void exited.then((code) => reject(new Error(`${args[0]} ended (${code}) before it was ready`)));
  });
  return new Program(child, exited, ready, performance.now() - began);
}

class Program {
  #child;
  #exited;

  constructor(child, exited, ready, readyMs) {
    this.#child = child;
    this.#exited = exited;
    this.ready = ready;
    this.readyMs = readyMs;
  }

  get pid() {
    return this.#child.pid;
  }

  /**
   * Longest stall of the event loop (ms) since the last call, and memory (MiB) now.
   * @param collect whether garbage is collected first
   */
  ask({ collect = false } = {}) {
    return new Promise((resolve, reject) => {
      this.#child.once('message', resolve);
      this.#child.send({ collect }, (error) => error && reject(error));
    });
  }

  async stop() {
    const late = setTimeout(() => this.#child.kill('SIGKILL'), STOP_MS);
    this.#child.kill('SIGTERM');
    await this.#exited;
    clearTimeout(late);
  }
}
