import type { ReactNode } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { useBridge, useHost, useNow, snapshotOf } from '../../bridge/index.js';
import { asRefusal } from '../../bridge/client.js';
import { Button } from '../../components/Button.js';
import { PageHead } from '../../components/PageHead.js';
import { useToast } from '../../components/toasts.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { PauseButton } from '../../shell/PauseButton.js';
import { useWords } from '../../words/index.js';
import { accountsOf } from './groups.js';

/** The heading: how much waits and for how long, and one button for all of it. */
export function MessagesHead(): ReactNode {
  const { t, format } = useWords();
  const now = useNow();
  const host = useHost();
  const snapshot = snapshotOf(host);
  if (snapshot === undefined) {
    return (
      <PageHead
        title={t('messages.title')}
        sub={host.stage === 'starting' ? t('messages.heading.loading') : undefined}
      />
    );
  }
  const queues = accountsOf(snapshot).map(({ account }) => account.queue);
  const n = queues.reduce((sum, { pending }) => sum + pending, 0);
  const held = queues.reduce((sum, { heldReplies = 0 }) => sum + heldReplies, 0);
  const oldest = Math.min(...queues.map(({ oldestReceivedAt }) => oldestReceivedAt ?? now));
  const subOf = (): string => {
    if (n > 0) return t('messages.heading.waiting', { n, age: format.duration(now - oldest) });
    return held > 0 ? t('messages.heading.held', { n: held }) : t('messages.heading.empty');
  };
  return (
    <PageHead
      title={t('messages.title')}
      // What was true a while ago is no heading.
      sub={host.stage === 'running' ? subOf() : undefined}
      actions={
        host.stage === 'running' && (
          <>
            {n > 0 && !snapshot.paused && <RetryAll snapshot={snapshot} />}
            {/* A narrow window has no foot of the side bar to hold it. */}
            <span className="only-narrow">
              <PauseButton snapshot={snapshot} />
            </span>
          </>
        )
      }
    />
  );
}

function RetryAll({ snapshot }: { readonly snapshot: Snapshot }): ReactNode {
  const { t } = useWords();
  const bridge = useBridge();
  const toast = useToast();
  const refusalWords = useRefusalWords();
  const waiting = accountsOf(snapshot).filter(({ account }) => account.queue.pending > 0);

  async function retry(): Promise<void> {
    try {
      await Promise.all(waiting.map(({ account: { accountId } }) => bridge.call('retry', { accountId })));
      toast({ text: t('messages.retried') });
    } catch (error) {
      toast({ text: refusalWords(asRefusal(error)) });
    }
  }

  return (
    <Button icon="refresh" onClick={() => void retry()}>
      {t('messages.retry_all')}
    </Button>
  );
}
