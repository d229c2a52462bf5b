import type { ReactNode } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { useShellFacts } from '../../bridge/index.js';
import { classNames } from '../../components/class-names.js';
import { Empty } from '../../components/Empty.js';
import { Icon } from '../../components/Icon.js';
import { Panel } from '../../components/Panel.js';
import { useWords } from '../../words/index.js';
import { AnswersFoot } from './AnswersFoot.js';
import { EndedRow } from './EndedRow.js';
import { GroupHead } from './GroupHead.js';
import { groupsOf } from './groups.js';
import type { EndedMessage } from './queues.js';

interface EndedListProps {
  readonly snapshot: Snapshot;
  readonly ended: ReadonlyMap<string, readonly EndedMessage[]>;
}

const COLUMNS = 3;

/** What never reached an agent, per account, newest first, with the reason. */
export function EndedList({ snapshot, ended }: EndedListProps): ReactNode {
  const { t } = useWords();
  const { showMessageText } = useShellFacts().preferences;
  const groups = groupsOf(snapshot, ended, (one, other) => other.endedAt - one.endedAt);
  return (
    <Panel>
      {groups.length === 0 ? (
        <Empty place="middle" picture={<Icon name="check" />} title={t('messages.empty_ended.title')}>
          <p>{t('messages.empty_ended.text')}</p>
        </Empty>
      ) : (
        <table className={classNames('tbl fold', showMessageText && 'told')}>
          <thead>
            <tr>
              <th scope="col">{t('messages.columns.message')}</th>
              <th scope="col">{t('messages.columns.when')}</th>
              <th scope="col">{t('messages.columns.happened')}</th>
            </tr>
          </thead>
          {groups.map((group) => (
            <tbody key={group.account.accountId}>
              <GroupHead of={group} columns={COLUMNS} count={t('messages.group_ended', { n: group.messages.length })} />
              {group.messages.map((message) => (
                <EndedRow key={`${message.messageId}:${message.endedAt}`} message={message} />
              ))}
            </tbody>
          ))}
        </table>
      )}
      <AnswersFoot snapshot={snapshot} />
    </Panel>
  );
}
