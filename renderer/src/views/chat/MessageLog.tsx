import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { AccountSnapshot } from '../../../../src/bridge/index.js';
import { useNow } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { Empty } from '../../components/Empty.js';
import { Icon } from '../../components/Icon.js';
import { useWords, type Words } from '../../words/index.js';
import { AgentAtWork } from './AgentAtWork.js';
import { AgentMessage } from './AgentMessage.js';
import { type Conversation, daysOf } from './conversation.js';
import { PersonMessage } from './PersonMessage.js';

interface MessageLogProps {
  /** Undefined until it was read. */
  readonly conversation: Conversation | undefined;
  readonly account: AccountSnapshot;
  readonly paused: boolean;
  /** How long a message waits for an agent, milliseconds; undefined while it is not known. */
  readonly keptMs: number | undefined;
}

/** Closer to the end than this counts as being there; pixels. */
const END_MARGIN_PX = 24;

/**
 * What was said, newest at the end. It follows new messages only for who is at the end already. Finished messages are a log
 * that readers hear; an answer that grows stands beside it and is heard once, when it is complete.
 */
export function MessageLog({ conversation, account, paused, keptMs }: MessageLogProps): ReactNode {
  const words = useWords();
  const { t } = words;
  const now = useNow();
  const ref = useRef<HTMLDivElement>(null);
  const [atEnd, setAtEnd] = useState(true);
  const days = daysOf(conversation?.messages ?? []);
  const growing = conversation?.growing ?? [];

  useLayoutEffect(() => {
    const log = ref.current;
    if (atEnd && log !== null) log.scrollTop = log.scrollHeight;
  }, [atEnd, conversation, account.activity]);

  // The log grows shorter while a longer message is written below it, or the window does.
  useEffect(() => {
    const log = ref.current;
    if (!atEnd || log === null) return undefined;
    const observer = new ResizeObserver(() => {
      log.scrollTop = log.scrollHeight;
    });
    observer.observe(log);
    return () => observer.disconnect();
  }, [atEnd]);

  return (
    <div className="chat-frame">
      <div
        ref={ref}
        className="chat"
        tabIndex={0}
        role="region"
        aria-label={t('chat.log')}
        onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) =>
          setAtEnd(scrollHeight - scrollTop - clientHeight < END_MARGIN_PX)
        }
      >
        {conversation !== undefined && days.length === 0 && growing.length === 0 && (
          <Empty place="middle" picture={<Icon name="chat" />} title={t('chat.empty.title')}>
            <p>{t('chat.empty.text')}</p>
          </Empty>
        )}
        <div className="chat-log" role="log" aria-label={t('chat.log')}>
          {days.map(({ day, messages }) => (
            <div key={day} className="chat-day">
              <p className="day">{dayWords(day, now, words)}</p>
              {messages.map((message) =>
                message.from === 'person' ? (
                  <PersonMessage
                    key={message.messageId}
                    message={message}
                    accountId={account.accountId}
                    taken={account.agentConnected && !paused}
                    keptMs={keptMs}
                  />
                ) : (
                  <AgentMessage key={message.messageId} message={message} accountId={account.accountId} />
                ),
              )}
            </div>
          ))}
        </div>
        {growing.map((message) => (
          <AgentMessage key={message.messageId} message={message} accountId={account.accountId} />
        ))}
        {growing.length === 0 && <AgentAtWork activity={account.activity} typing={conversation?.typing === true} />}
      </div>
      {!atEnd && (
        <div className="to-end">
          <Button small icon="down" onClick={() => setAtEnd(true)}>
            {t('chat.newer')}
          </Button>
        </div>
      )}
    </div>
  );
}

const DAY_MS = 24 * 3_600_000;

function dayWords(day: number, now: number, { t, format }: Words): string {
  const isDay = (at: number): boolean => new Date(day).toDateString() === new Date(at).toDateString();
  if (isDay(now)) return t('chat.today');
  return isDay(now - DAY_MS) ? t('chat.yesterday') : format.date(day);
}
