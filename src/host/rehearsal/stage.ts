import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../base/logger.js';
import { sameSecret } from '../../base/same-secret.js';
import { createConnector, type Connector, type ConnectorParts } from '../../connector/index.js';
import { IM_V2 } from '../../protocol/index.js';
import { prepared } from '../../store/statements.js';
import type { LocalChat } from '../../targets/local/index.js';
import { createLocalTarget } from '../../targets/local/local-target.js';

/** Path prefix and last part of the card id of the connector that a rehearsal plays on. */
const STAGE_NAME = 'rehearsal';
/** Carries the pass; only the host itself knows one. */
export const PASS_HEADER = 'x-xagent-rehearsal';
const PASS_BYTES = 32;
/** What a rehearsal leaves, also one that a crash ended, is gone this long after its socket; milliseconds. */
const GRACE_MS = 5_000;
/** Nobody types here, so a sign-in is done at once or not at all; milliseconds. */
const SIGN_IN_MS = 30_000;

/**
 * Where rehearsals take place: a local chat of its own, behind a connector that nobody else can reach and nothing counts. The
 * server, its guards, delivery, files and the disk are the real ones; the accounts, agents and leases of the networks are not
 * touched, also while their agents are at work.
 */
export interface Stage {
  readonly connector: Connector;
  readonly chat: LocalChat;
  /** Told the account of each rehearsal before anything is said on it. */
  signedIn(accountId: string): void;
  /** Opens the stage to requests that carry this pass, until {@link leave}. */
  enter(): Promise<string>;
  leave(): void;
  admits(request: IncomingMessage): boolean;
  /** Lets what a crash left come to its end. */
  tidy(): Promise<void>;
}

export interface StageParts extends Omit<ConnectorParts, 'target' | 'options' | 'agentServer'> {
  readonly clock: Clock;
  readonly log: Logger;
  /** `delivery.ttlMs`. */
  readonly messageTtlMs: number;
  /** Told the account of each rehearsal before anything is said on it. */
  readonly signedIn: (accountId: string) => void;
}

export function createStage(parts: StageParts): Stage {
  const target = createLocalTarget({ files: parts.files, messageTtlMs: parts.messageTtlMs, name: STAGE_NAME });
  const connector = createConnector({
    ...parts,
    target,
    options: {
      graceMs: GRACE_MS,
      sessionTtlMs: SIGN_IN_MS,
      profile: IM_V2,
      apiKeyRequired: true,
      deliverTo: 'xagent',
    },
  });
  let started: Promise<void> | undefined;
  let pass: string | undefined;
  const start = (): Promise<void> =>
    (started ??= connector.start().catch((error: unknown) => {
      // The next rehearsal tries again: the disk may take writes by then.
      started = undefined;
      throw error;
    }));

  return {
    connector,
    chat: target.chat,
    signedIn: parts.signedIn,
    async enter() {
      await start();
      pass = randomBytes(PASS_BYTES).toString('base64url');
      return pass;
    },
    leave() {
      pass = undefined;
    },
    admits(request) {
      const given = request.headers[PASS_HEADER];
      return pass !== undefined && typeof given === 'string' && sameSecret(given, pass);
    },
    async tidy() {
      const text = 'SELECT account_id FROM account WHERE card_id = ? LIMIT 1';
      if (prepared(parts.store.sql, text).get(target.cardId) !== undefined) await start();
    },
  };
}
