import { type ReactNode, useId, useState } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { Button } from '../../components/Button.js';
import { Banner } from '../../components/Banner.js';
import { Skeleton } from '../../components/Skeleton.js';
import { Switch } from '../../components/Switch.js';
import { tabId, Tabs } from '../../components/Tabs.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { usePreferences } from '../../components/use-preferences.js';
import { useWords } from '../../words/index.js';
import { EndedList } from './EndedList.js';
import { HeldList } from './HeldList.js';
import { accountsOf, countOf } from './groups.js';
import { useQueues, waitingIn } from './queues.js';
import { WaitingList } from './WaitingList.js';

/** The two lists of messages, one shown at a time. */
export function MessageLists({ snapshot }: { readonly snapshot: Snapshot }): ReactNode {
  const { t } = useWords();
  const refusalWords = useRefusalWords();
  const [{ showMessageText }, change] = usePreferences();
  const { value, refusal, again } = useQueues(snapshot);
  const [list, setList] = useState<'waiting' | 'ended'>('waiting');
  const panelId = useId();
  const waiting = accountsOf(snapshot).reduce((sum, { account }) => sum + waitingIn(account.queue), 0);
  return (
    <>
      <div className="toolbar">
        <Tabs
          label={t('messages.tabs.label')}
          value={list}
          tabs={[
            { value: 'waiting', label: t('messages.tabs.waiting'), count: waiting },
            { value: 'ended', label: t('messages.tabs.ended'), count: value && countOf(value.ended) },
          ]}
          panelId={panelId}
          onPick={setList}
        />
        <div className="right">
          <label>
            <span>{t('messages.show_text')}</span>
            <Switch on={showMessageText} onSwitch={(on) => change({ showMessageText: on })} />
          </label>
        </div>
      </div>
      {refusal !== undefined && (
        <Banner
          tone="attention"
          sign="attention"
          title={t('messages.heading.failed')}
          actions={<Button onClick={again}>{t('action.try_again')}</Button>}
        >
          <p>{refusalWords(refusal)}</p>
        </Banner>
      )}
      <div id={panelId} className="lists" role="tabpanel" aria-labelledby={tabId(panelId, list)}>
        {value === undefined && refusal === undefined && <Skeleton shape="table" rows={4} />}
        {value !== undefined && list === 'waiting' && (
          <>
            {(countOf(value.pending) > 0 || countOf(value.held) === 0) && (
              <WaitingList snapshot={snapshot} pending={value.pending} />
            )}
            <HeldList snapshot={snapshot} held={value.held} />
          </>
        )}
        {value !== undefined && list === 'ended' && <EndedList snapshot={snapshot} ended={value.ended} />}
      </div>
    </>
  );
}
