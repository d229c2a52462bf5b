import { setTimeout as delay } from 'node:timers/promises';
import { toString as drawQr } from 'qrcode';
import type { ResultOf, Snapshot } from '../../bridge/index.js';
import type { ControlClient } from '../control-client.js';
import { readArgs } from './args.js';
import { COMMANDS } from './command-specs.js';
import { CliError, complain, ExitCode, localTime, print, type CliIo } from './io.js';
import { dataDirOf, withHost } from './running-host.js';
import { askedAnswers, pipedAnswers, type AnswerSource } from './sign-in-input.js';

/** How often the host is asked how the sign-in stands; milliseconds. */
const POLL_MS = 300;
/** A QR that nobody scans is renewed this often before the sign-in is given up. */
const MAX_REFRESHES = 3;

type State = ResultOf<'sign-in-state'>;

/** `sign-in <connector> [--input-stdin]`: the same sign-in as the window's, on the running host. */
export async function signInCommand(given: readonly string[], io: CliIo): Promise<ExitCode> {
  const { flags, args } = readArgs(given, COMMANDS['sign-in']);
  const name = args.connector;
  return withHost(dataDirOf(flags), async (host) => {
    const connector = connectorOf(await host.call('snapshot'), name);
    const answers = flags['input-stdin'] === true ? await pipedAnswers(io) : askedAnswers(io);
    const flow = connector.authFlows[0];
    const input = flow?.type === 'form' ? await answers.form(flow) : {};
    const begun = await host.call('sign-in', { connector: connector.name, input });
    const accountId = await new Follower(host, connector.name, answers, io).follow(begun);
    const account = connectorOf(await host.call('snapshot'), name).accounts.find(
      (item) => item.accountId === accountId,
    );
    print(io, `Signed in: ${account?.displayName ?? connector.label} (${accountId})`);
    return ExitCode.done;
  });
}

/** Follows one sign-in to its end, showing what the person has to do. */
class Follower {
  #shownQr: string | undefined;
  #shownMessage: string | undefined;
  #refreshes = 0;

  constructor(
    private readonly host: ControlClient,
    private readonly connector: string,
    private readonly answers: AnswerSource,
    private readonly io: CliIo,
  ) {}

  /** @returns the account. @throws CliError with the reason why there is none */
  async follow(begun: State): Promise<string> {
    const session = { connector: this.connector, authSessionId: begun.authSessionId };
    const cancel = (): void => {
      // The host ends it; waiting for its answer is not worth the person's time.
      this.host.call('sign-in-cancel', session).catch(() => undefined);
    };
    process.once('SIGINT', cancel);
    try {
      for (let state = begun; ; state = await this.host.call('sign-in-state', session)) {
        const accountId = await this.#step(state, session);
        if (accountId !== undefined) return accountId;
        await delay(POLL_MS);
      }
    } catch (error) {
      cancel();
      throw error;
    } finally {
      process.removeListener('SIGINT', cancel);
    }
  }

  async #step(state: State, session: { connector: string; authSessionId: string }): Promise<string | undefined> {
    switch (state.status) {
      case 'authenticated':
        return state.accountId;
      case 'failed':
      case 'expired':
      case 'canceled':
        throw new CliError(`Not signed in: ${state.message} (${state.code})`);
      case 'qr_refresh_required':
        if (this.#refreshes >= MAX_REFRESHES) throw new CliError('Not signed in: nobody scanned the code in time.');
        this.#refreshes += 1;
        await this.host.call('sign-in-refresh', session);
        return undefined;
      case 'pending':
      case 'scanned':
        await this.#show(state);
        if (state.inputRequired !== undefined && state.inputRequired.length > 0) {
          await this.host.call('sign-in-input', { ...session, input: await this.answers.more(state.inputRequired) });
        }
        return undefined;
    }
  }

  async #show(state: Extract<State, { status: 'pending' | 'scanned' | 'qr_refresh_required' }>): Promise<void> {
    if (state.qr !== undefined && state.qr.text !== this.#shownQr) {
      this.#shownQr = state.qr.text;
      print(this.io, await drawQr(state.qr.text, { type: 'utf8' }));
      print(this.io, state.qr.text);
      print(this.io, `Valid until ${localTime(state.qr.expiresAt)}`);
    }
    if (state.message !== '' && state.message !== this.#shownMessage) {
      this.#shownMessage = state.message;
      complain(this.io, state.message);
    }
  }
}

function connectorOf(snapshot: Snapshot, name: string): Snapshot['connectors'][number] {
  const found = snapshot.connectors.find((connector) => connector.name === name || connector.cardId === name);
  if (found !== undefined) return found;
  const names = snapshot.connectors.map((connector) => connector.name).join(', ');
  throw new CliError(`There is no connector ${name}. This host has: ${names || 'none'}.`);
}
