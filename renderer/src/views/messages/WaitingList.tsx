import type { ReactNode } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { useShellFacts } from '../../bridge/index.js';
import { classNames } from '../../components/class-names.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { Empty } from '../../components/Empty.js';
import { Icon } from '../../components/Icon.js';
import { Panel } from '../../components/Panel.js';
import { useSettingsFacts } from '../../bridge/use-settings-facts.js';
import { href } from '../../shell/route.js';
import { useWords } from '../../words/index.js';
import { GroupHead } from './GroupHead.js';
import { accountsOf, groupsOf } from './groups.js';
import type { PendingMessage } from './queues.js';
import { WaitingRow } from './WaitingRow.js';
import { useDiscard } from './use-discard.js';

interface WaitingListProps {
  readonly snapshot: Snapshot;
  readonly pending: ReadonlyMap<string, readonly PendingMessage[]>;
}

const COLUMNS = 6;

/** What waits for an agent, per account, oldest first. */
export function WaitingList({ snapshot, pending }: WaitingListProps): ReactNode {
  const { t } = useWords();
  const { showMessageText } = useShellFacts().preferences;
  const { ask, dialog } = useDiscard();
  const groups = groupsOf(snapshot, pending, (one, other) => one.receivedAt - other.receivedAt);
  if (groups.length === 0) {
    return (
      <>
        <NothingWaits snapshot={snapshot} />
        {dialog}
      </>
    );
  }
  return (
    <Panel>
      <table className={classNames('tbl fold', showMessageText && 'told')}>
        <thead>
          <tr>
            <th scope="col">{t('messages.columns.message')}</th>
            <th scope="col">{t('messages.columns.age')}</th>
            <th scope="col">{t('messages.columns.why')}</th>
            <th scope="col" className="r">
              {t('messages.columns.tries')}
            </th>
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
            <GroupHead
              of={group}
              columns={COLUMNS}
              count={t('messages.group_waiting', { n: group.account.queue.pending })}
            />
            {group.messages.map((message, place) => (
              <WaitingRow
                key={message.messageId}
                of={group}
                message={message}
                place={place}
                paused={snapshot.paused}
                onDiscard={() => ask({ ...group, message, direction: 'inbound' })}
              />
            ))}
            {group.account.queue.pending > group.messages.length && (
              <tr className="rest">
                <td colSpan={COLUMNS} className="wide tx-2">
                  {t('messages.more', { n: group.account.queue.pending - group.messages.length })}
                </td>
              </tr>
            )}
          </tbody>
        ))}
      </table>
      <div className="foot">{t('messages.order')}</div>
      {dialog}
    </Panel>
  );
}

function NothingWaits({ snapshot }: { readonly snapshot: Snapshot }): ReactNode {
  const { t, format } = useWords();
  const { value: settings } = useSettingsFacts();
  const fresh = accountsOf(snapshot).length === 0;
  return (
    <Panel>
      <Empty
        place="middle"
        picture={<Icon name="messages" />}
        title={t('messages.empty.title')}
        actions={fresh && <ButtonLink href={href('accounts', 'connect')}>{t('accounts.connect')}</ButtonLink>}
      >
        {fresh && <p>{t('messages.empty.fresh')}</p>}
        {!fresh && settings !== undefined && (
          <p>{t('messages.empty.text', { ttl: format.duration(settings.pendingTtlMs) })}</p>
        )}
      </Empty>
    </Panel>
  );
}
