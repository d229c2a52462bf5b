import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { AutostartFacts } from '../bridge/index.js';
import type { Autostart, StartCommand } from './autostart-port.js';

const FILE = 'xagent-connector.desktop';

/** The session's own entry on Linux: a file in its autostart folder (freedesktop.org, Desktop Application Autostart Specification). */
export class DesktopEntry implements Autostart {
  readonly #folder: string;
  readonly #file: string;
  readonly #exec: string;
  readonly #program: string;

  constructor(command: StartCommand, env: NodeJS.ProcessEnv, home: string) {
    // The XDG rules say that a relative path there is to be ignored.
    const config = env['XDG_CONFIG_HOME']?.startsWith('/') ? env['XDG_CONFIG_HOME'] : join(home, '.config');
    this.#folder = join(config, 'autostart');
    this.#file = join(this.#folder, FILE);
    this.#program = stringValue(command.program);
    this.#exec = [command.program, ...command.args].map(execArgument).join(' ');
  }

  facts(): AutostartFacts {
    const entry = this.#read();
    // Sessions' own tools switch an entry off by such a line and leave it where it is.
    const isOff = entry === undefined || /^(Hidden\s*=\s*true|X-GNOME-Autostart-enabled\s*=\s*false)\s*$/m.test(entry);
    return { supported: true, enabled: !isOff, problem: undefined };
  }

  set(enabled: boolean): AutostartFacts {
    try {
      if (enabled) this.#write();
      else rmSync(this.#file, { force: true });
    } catch {
      return { ...this.facts(), problem: 'write_failed' };
    }
    return this.facts();
  }

  correct(): AutostartFacts {
    const facts = this.facts();
    if (!facts.enabled || this.#read()?.split('\n').includes(`Exec=${this.#exec}`) === true) return facts;
    const corrected = this.set(true);
    return corrected.problem === undefined ? { ...corrected, problem: 'moved' } : corrected;
  }

  #read(): string | undefined {
    try {
      return readFileSync(this.#file, 'utf8');
    } catch {
      return undefined;
    }
  }

  #write(): void {
    mkdirSync(this.#folder, { recursive: true });
    const lines = [
      '[Desktop Entry]',
      'Type=Application',
      'Version=1.0',
      'Name=xAgent Connector',
      `Exec=${this.#exec}`,
      // An app that was removed leaves its entry behind: the session then passes over it.
      `TryExec=${this.#program}`,
      'Terminal=false',
      'X-GNOME-Autostart-enabled=true',
      '',
    ];
    writeFileSync(this.#file, lines.join('\n'));
  }
}

/**
 * One argument of an Exec line: quoted, with the escapes of quoting (`"`, `` ` ``, `$`, `\`), then those of strings (`\`), and `%`
 * doubled (Desktop Entry Specification, "The Exec key").
 */
export function execArgument(argument: string): string {
  const fieldFree = argument.replace(/%/g, '%%');
  if (/^[\w@+=:,./%-]+$/.test(argument)) return fieldFree;
  const quoted = fieldFree.replace(/["`$\\]/g, '\\$&');
  return `"${stringValue(quoted)}"`;
}

/** A text as a value of type string (Desktop Entry Specification, "Possible value types"). */
function stringValue(text: string): string {
  return text.replace(/\\/g, '\\\\').replace(/\n/g, '\\n').replace(/\t/g, '\\t').replace(/\r/g, '\\r');
}
