import type { ReactNode } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { Icon } from '../../components/Icon.js';
import { Pulse } from '../../components/Pulse.js';
import { Sign } from '../../components/Sign.js';
import type { AccountRow } from '../../shell/accounts-of.js';
import { LOCAL } from '../../shell/accounts-of.js';
import { useWords } from '../../words/index.js';
import { boundTo } from './names.js';
import { pulseSentence } from './pulse-sentence.js';
import { ReplyFact } from './ReplyFact.js';

interface AccountFactsProps {
  readonly row: AccountRow;
  readonly snapshot: Snapshot;
  /** Unix ms. */
  readonly now: number;
}

/** What proves an account's sentence: its last round trip, who takes its messages, what waits, and how much it may still say. */
export function AccountFacts({ row, snapshot, now }: AccountFactsProps): ReactNode {
  const words = useWords();
  const { t, format } = words;
  const { account } = row;
  const { pending, oldestReceivedAt } = account.queue;
  const { lastRoundTripAt, pulse, deliverTo } = account;
  // While agents can't reach the port, nothing here may say that one is connected.
  const hasAgent = account.agentConnected && (deliverTo === 'agentServer' || snapshot.server.state === 'listening');
  return (
    <dl className="facts">
      <Fact label={t('fact.round_trip')}>
        <span className="num nowrap">
          {lastRoundTripAt === undefined ? t('fact.round_trip.none') : format.ago(now - lastRoundTripAt)}
        </span>
        {/[aln]/.test(pulse) && <Pulse pulse={pulse} label={pulseSentence(pulse, words)} />}
      </Fact>
      <Fact label={deliverTo === 'agentServer' ? t('fact.agent_server') : t('fact.agent')}>
        <AgentFact row={row} connected={hasAgent} now={now} />
      </Fact>
      <Fact label={t('fact.waiting')}>
        <span className="num">
          {pending === 0 || oldestReceivedAt === undefined
            ? format.number(pending)
            : t('fact.waiting.oldest', { n: pending, age: format.duration(now - oldestReceivedAt) })}
        </span>
      </Fact>
      {account.replyWindow !== undefined ? (
        <Fact label={t('fact.replies')}>
          <ReplyFact replyWindow={account.replyWindow} held={account.queue.heldReplies ?? 0} now={now} />
        </Fact>
      ) : (
        <LastFact row={row} now={now} />
      )}
    </dl>
  );
}

function Fact({ label, children }: { readonly label: string; readonly children: ReactNode }): ReactNode {
  return (
    <div>
      <dt>{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

interface AgentFactProps {
  readonly row: AccountRow;
  readonly connected: boolean;
  readonly now: number;
}

function AgentFact({ row: { account }, connected, now }: AgentFactProps): ReactNode {
  const { t, format } = useWords();
  const { activity } = account;
  if (!connected) {
    return (
      <>
        <Sign name="none" tone="idle" />
        <span>{t('agent.none')}</span>
      </>
    );
  }
  switch (activity.status) {
    case 'idle':
      return (
        <>
          <Icon name="idle" />
          <span>{t('agent.idle')}</span>
        </>
      );
    case 'thinking':
      return (
        <>
          <Icon name="think" />
          <span className="num">{t('agent.thinking', { t: format.duration(now - activity.since) })}</span>
        </>
      );
    case 'tool':
      return (
        <>
          <Icon name="tool" />
          <span className="num cut" title={activity.toolName}>
            {t('agent.tool', { tool: activity.toolName, t: format.duration(now - activity.since) })}
          </span>
        </>
      );
  }
}

function LastFact({ row, now }: { readonly row: AccountRow; readonly now: number }): ReactNode {
  const { t, format } = useWords();
  if (row.connector.name === LOCAL) return <Fact label={t('fact.chat')}>{t('fact.chat.here')}</Fact>;
  const chat = boundTo(row);
  return chat === undefined ? (
    <Fact label={t('fact.since')}>{format.time(row.account.createdAt, now)}</Fact>
  ) : (
    <Fact label={t('fact.chat')}>
      <span dir="auto">{chat}</span>
    </Fact>
  );
}
