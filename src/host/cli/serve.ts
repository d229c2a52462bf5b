import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import type { SecretsSnapshot } from '../../bridge/index.js';
import { StoreError } from '../../store/store.js';
import { DataDirLockedError } from '../../store/data-dir-lock.js';
import { PortForbiddenError, PortInUseError, ServerConfigError, UI_PREFIX } from '../../server/index.js';
import { keepCertificateChecks, UNCHECKED_REFUSED } from '../certificate-checks.js';
import { ConfigError, readConfig } from '../config.js';
import { takeProxies, type SystemProxies } from '../environment-proxies.js';
import { startHost, type Host } from '../host.js';
import { HostStartError } from '../host-options.js';
import { takePassphrase } from '../passphrase.js';
import { secretsAdvice } from '../secrets-advice.js';
import { readArgs, readPort } from './args.js';
import { COMMANDS } from './command-specs.js';
import { CliError, ExitCode, print, type CliIo } from './io.js';
import { placesOf } from './running-host.js';
import type { StopSignals } from './stop-signals.js';

/** The contract gives 5 s from the signal to the end; what has not stopped by then is cut. Milliseconds. */
const STOP_DEADLINE_MS = 4_700;

/** `serve`: the connector host without a window, until a signal ends it. */
export async function serveCommand(given: readonly string[], io: CliIo, stopping: StopSignals): Promise<ExitCode> {
  const { flags } = readArgs(given, COMMANDS.serve);
  const port = flags.port === undefined ? undefined : readPort(flags.port);
  const { dataDir, configFile } = placesOf(flags);
  const read = readConfig(configFile);
  const proxies = systemProxies(io.env);
  const passphrase = takePassphrase(io.env);
  const wasUnchecked = keepCertificateChecks(io.env);
  // A signal that came while the program was loaded is heard in the next turn of the event loop.
  await turnOfTheLoop();
  if (stopping.isAsked) return ExitCode.done;
  // From the signal on, also where the host is still starting and waits for a keychain that does not answer.
  void stopping.asked.then(() => endInTime(ExitCode.done));
  const host = await startOrExplain({ ...read, port, dataDir, passphrase, proxies });
  survive(host);
  if (wasUnchecked) host.log.warn(UNCHECKED_REFUSED);
  await announce(host, flags['ready-json'] === true, io);
  await stopping.asked;
  await host.close();
  return ExitCode.done;
}

/** What the environment says about proxies. @throws ConfigError naming the variables that can't be used */
export function systemProxies(env: NodeJS.ProcessEnv): SystemProxies | undefined {
  const { proxies, problems } = takeProxies(env);
  if (problems.length > 0) throw new ConfigError(problems);
  return proxies;
}

async function startOrExplain(options: Parameters<typeof startHost>[0]): Promise<Host> {
  try {
    return await startHost(options);
  } catch (error) {
    if (error instanceof PortInUseError) {
      throw new CliError(`Port ${error.port} is already in use. Stop what uses it, or choose another with --port.`);
    }
    if (error instanceof PortForbiddenError)
      throw new CliError(`${error.message}. Choose another above 1023 with --port.`);
    if (error instanceof DataDirLockedError) throw new CliError(`${options.dataDir}: ${error.message}.`);
    if (error instanceof ServerConfigError) throw new CliError(error.message, ExitCode.usage);
    if (error instanceof HostStartError) throw new CliError(error.message);
    if (error instanceof StoreError) throw new CliError(`${options.dataDir}: ${error.message} (${error.code}).`);
    throw error;
  }
}

/**
 * A promise that nobody awaited is logged and costs nothing more; the messages it was about are on disk. After an exception
 * that nobody caught nothing can be trusted: it is logged (redacted, unlike Node's own words) and the host stops.
 */
function survive(host: Host): void {
  process.on('uncaughtException', (error) => {
    host.log.error({ err: error }, 'an exception went uncaught: the host stops');
    endInTime(ExitCode.failed);
    void host.close().then(() => process.exit(ExitCode.failed));
  });
  process.on('unhandledRejection', (reason) => host.log.error({ err: reason }, 'an error went unhandled'));
  // Whoever read our lines may be gone.
  process.stdout.on('error', () => undefined);
}

async function announce(host: Host, asJson: boolean, io: CliIo): Promise<void> {
  const ready = readyFacts(host);
  if (asJson) {
    print(io, JSON.stringify(ready));
    return;
  }
  for (const line of readyWords(ready, host.snapshot().secrets)) print(io, line);
  // A link that lets its reader in belongs on a screen, not in a file that output was sent to.
  if (!io.interactive || !process.stdout.isTTY) return;
  const { url } = await host.execute('ui-link', {});
  print(io, `The window in a browser, for the next two minutes and once (later: node dist/cli.js ui):\n  ${url}`);
}

/** What a person reads instead. Without secrets there is no key yet and no account opens, whatever else looks well. */
export function readyWords(
  { url, connectors }: Pick<ReturnType<typeof readyFacts>, 'url' | 'connectors'>,
  secrets: Pick<SecretsSnapshot, 'kind' | 'state' | 'code'>,
): string[] {
  const advice = secretsAdvice(secrets);
  return [
    `The connector host listens on ${url}. Add these base URLs in xAgent:`,
    ...connectors.map(({ connector_card_id, base_url }) => `  ${connector_card_id}  ${base_url}`),
    advice === ''
      ? 'The API key: node dist/cli.js api-key. Stop with Ctrl-C.'
      : `No agent and no account can connect yet, for its secrets can't be read: ${advice}. Stop with Ctrl-C.`,
  ];
}

/** The first line of `--ready-json`. */
export function readyFacts(host: Pick<Host, 'url' | 'connectors'>) {
  return {
    event: 'ready',
    pid: process.pid,
    url: host.url,
    ui_url: `${host.url}${UI_PREFIX}/`,
    connectors: host.connectors.map(({ cardId, baseUrl }) => ({ connector_card_id: cardId, base_url: baseUrl })),
  };
}

function endInTime(code: ExitCode): void {
  setTimeout(() => process.exit(code), STOP_DEADLINE_MS);
}
