import type { ReactNode } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { Panel } from '../../components/Panel.js';
import { useWords } from '../../words/index.js';
import { GroupHead } from './GroupHead.js';
import { groupsOf } from './groups.js';
import { HeldRow } from './HeldRow.js';
import type { HeldReply } from './queues.js';
import { useDiscard } from './use-discard.js';

interface HeldListProps {
  readonly snapshot: Snapshot;
  readonly held: ReadonlyMap<string, readonly HeldReply[]>;
}

const COLUMNS = 5;

/** Answers of agents that their network takes no more of right now; they go out when the person writes. */
export function HeldList({ snapshot, held }: HeldListProps): ReactNode {
  const { t } = useWords();
  const { ask, dialog } = useDiscard();
  const groups = groupsOf(snapshot, held, (one, other) => one.heldAt - other.heldAt);
  if (groups.length === 0) return dialog;
  return (
    <Panel aria-label={t('messages.held.title')}>
      <table className="tbl fold">
        <thead>
          <tr>
            <th scope="col">{t('messages.columns.answer')}</th>
            <th scope="col">{t('messages.columns.age')}</th>
            <th scope="col">{t('messages.columns.why')}</th>
            <th scope="col" className="r">
              {t('messages.columns.expires')}
            </th>
            <th scope="col">
              <span className="sr">{t('messages.columns.actions')}</span>
            </th>
          </tr>
        </thead>
        {groups.map((group) => (
          <tbody key={group.account.accountId}>
            <GroupHead of={group} columns={COLUMNS} count={t('messages.held.group', { n: group.messages.length })} />
            {group.messages.map((reply) => (
              <HeldRow
                key={reply.messageId}
                of={group}
                reply={reply}
                onDiscard={() => ask({ ...group, message: reply, direction: 'outbound' })}
              />
            ))}
          </tbody>
        ))}
      </table>
      <div className="foot">{t('messages.held.text')}</div>
      {dialog}
    </Panel>
  );
}
