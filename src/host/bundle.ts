import { open } from 'node:fs/promises';
import { homedir, release } from 'node:os';
import { join } from 'node:path';
import type { Logger } from '../base/logger.js';
import type { BundleFacts, Finding, Snapshot } from '../bridge/index.js';
import { buildFacts } from './build-facts.js';
import { CommandError } from './command-error.js';
import type { EffectiveConfig } from './effective-config.js';
import { LOG_FILE, RESPONSE_LOG_FILE } from './log-file.js';
import { LOGS_FOLDER } from './logging.js';
import { Pseudonyms } from './pseudonyms.js';
import { MASK, type Redactor } from './redaction.js';
import type { SecretRegistry } from './secret-registry.js';

/** How much of each log a bundle holds, from its end; bytes. Hours of an ordinary day, and small enough to be read by a person. */
const LOG_TAIL_BYTES = 256 * 1024;
const RESPONSE_LOG_TAIL_BYTES = 64 * 1024;

export interface BundleParts {
  readonly dataDir: string;
  readonly effective: EffectiveConfig;
  readonly snapshot: Snapshot;
  /** How the networks call the accounts, beside what the snapshot shows. */
  readonly identities: readonly string[];
  readonly findings: readonly Finding[];
  readonly redactor: Redactor;
  /** Every secret that is to be looked for. */
  readonly registry: SecretRegistry;
  /** Whether the secret store gave out its secrets, so that the search is complete. */
  readonly vaultRead: boolean;
  readonly log: Logger;
  /** Unix ms. */
  readonly now: number;
}

/**
 * What helps somebody else to see what is wrong: versions, configuration, states, findings, the newest log lines. Secrets are
 * masked, people and accounts have other names, and then all of it is searched for every secret that is known.
 * @throws CommandError `secret_found`; there is no bundle then
 */
export async function buildBundle(parts: BundleParts): Promise<BundleFacts> {
  const { dataDir, effective, snapshot, redactor, registry } = parts;
  const names = new Pseudonyms([
    ...snapshot.connectors.flatMap(({ accounts }) =>
      accounts.flatMap(({ accountId, channelId, displayName, accountHint }) => [
        ['account', accountId] as const,
        ['channel', channelId] as const,
        ['name', displayName] as const,
        ['hint', accountHint] as const,
      ]),
    ),
    ...parts.identities.map((identity) => ['identity', identity] as const),
  ]);
  const clean = (value: unknown): unknown => withTexts(value, (text) => withoutHome(names.in(redactor.text(text))));
  const [log, responses] = await Promise.all([
    tailOf(join(dataDir, LOGS_FOLDER, LOG_FILE), LOG_TAIL_BYTES),
    tailOf(join(dataDir, LOGS_FOLDER, RESPONSE_LOG_FILE), RESPONSE_LOG_TAIL_BYTES),
  ]);
  const entries: readonly (readonly [name: string, records: readonly unknown[]])[] = [
    ['about.json', [clean(about(parts))]],
    ['config.json', [clean(shownConfig(effective))]],
    ['snapshot.json', [clean(names.snapshot({ ...snapshot, apiKey: undefined }))]],
    ['doctor.json', [clean(names.findings(parts.findings, snapshot))]],
    [LOG_FILE, jsonRecords(log).map((line) => clean(redactor.value(line)))],
    [RESPONSE_LOG_FILE, jsonRecords(responses).map((line) => clean(redactor.value(line)))],
  ];
  for (const [name, records] of entries) {
    if (!registry.isIn(records)) continue;
    parts.log.error({ entry: name }, 'a diagnostics bundle was refused: a secret was left in it');
    throw new CommandError('secret_found', `a secret was left in ${name}, so no bundle was made`);
  }
  return {
    entries: entries.map(([name, records]) => {
      const indent = name.endsWith('.json') ? 2 : undefined;
      const content = records.map((record) => `${JSON.stringify(record, null, indent)}\n`).join('');
      return { name, byteSize: Buffer.byteLength(content), content };
    }),
    secretsSearched: registry.size,
  };
}

function about({ vaultRead, now }: BundleParts): object {
  return {
    ...buildFacts,
    platform: process.platform,
    arch: process.arch,
    release: release(),
    versions: process.versions,
    made_at: new Date(now).toISOString(),
    secret_store_searched: vaultRead,
  };
}

function shownConfig({ config, sources }: EffectiveConfig): object {
  const { server } = config;
  return { ...config, server: { ...server, apiKey: server.apiKey === null ? null : MASK }, sources };
}

/** The same value with every text in it, keys too, put through `fn`. */
function withTexts(value: unknown, fn: (text: string) => string): unknown {
  if (typeof value === 'string') return fn(value);
  if (Array.isArray(value)) return value.map((item) => withTexts(item, fn));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [fn(key), withTexts(item, fn)]));
}

/** A person's own folder bears their name. */
function withoutHome(text: string): string {
  const home = homedir();
  return home.length > 1 ? text.replaceAll(home, '~') : text;
}

/** The last whole lines of a file; empty when there is none. */
async function tailOf(file: string, bytes: number): Promise<string> {
  const handle = await open(file, 'r').catch(() => undefined);
  if (handle === undefined) return '';
  try {
    const { size } = await handle.stat();
    const start = Math.max(size - bytes, 0);
    const { buffer, bytesRead } = await handle.read({ buffer: Buffer.alloc(size - start), position: start });
    const text = buffer.toString('utf8', 0, bytesRead);
    return start === 0 ? text : text.slice(text.indexOf('\n') + 1);
  } finally {
    await handle.close();
  }
}

/** Lines that are JSON; whatever else stands in a log was not written by this program and is left out. */
function jsonRecords(text: string): unknown[] {
  return text.split('\n').flatMap((line): unknown[] => {
    try {
      return line === '' ? [] : [JSON.parse(line)];
    } catch {
      return [];
    }
  });
}
