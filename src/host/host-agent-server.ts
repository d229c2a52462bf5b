import { join } from 'node:path';
import { createAgentServer } from '../agent-server/index.js';
import type { AgentServer, AgentServerFacts } from '../agent-server/agent-server.js';
import { isLoopbackHost } from '../base/loopback.js';
import type { Delivery } from '../delivery/delivery.js';
import type { AgentServerStatus } from '../server/index.js';
import type { Foundation } from './foundation.js';
import { LogFile, RESPONSE_LOG_FILE } from './log-file.js';
import { LOGS_FOLDER } from './logging.js';
import type { StopSequence } from './stop-sequence.js';

/** The upstream of accounts that deliver to an AgentServer. */
export async function startAgentServer(
  { config, dataDir, store, files, clock, log, random }: Foundation,
  delivery: Delivery,
  stops: StopSequence,
): Promise<AgentServer> {
  const responseLog = new LogFile(join(dataDir, LOGS_FOLDER), clock, RESPONSE_LOG_FILE);
  stops.add('response log', () => responseLog.close());
  const agentServer = createAgentServer({
    delivery,
    store,
    files,
    dataDir,
    responseLog: (line) => responseLog.write(`${line}\n`),
    clock,
    log,
    random,
    options: {
      ...config.agentServer,
      isLocal: isLoopbackHost(new URL(config.agentServer.url).hostname),
      pendingTtlMs: config.delivery.ttlMs,
      filesTtlMs: config.files.ttlMs,
    },
  });
  // It ends before delivery, which was added earlier: nothing may be begun that can't be answered.
  stops.add('agent server', () => agentServer.close());
  await agentServer.start();
  return agentServer;
}

/** Its facts under the names of the status report. */
export function agentServerStatus({ state, ...facts }: AgentServerFacts): AgentServerStatus {
  return {
    status: state.status,
    code: 'code' in state ? state.code : null,
    since: 'since' in state ? state.since : null,
    retry_at: 'retryAt' in state ? state.retryAt : null,
    accounts: facts.accounts,
    running: facts.running,
    waiting_answers: facts.waitingAnswers,
    counters: facts.counters,
  };
}
