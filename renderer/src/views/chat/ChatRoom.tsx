import type { ReactNode } from 'react';
import type { AccountSnapshot, Snapshot } from '../../../../src/bridge/index.js';
import { Banner } from '../../components/Banner.js';
import { useSettingsFacts } from '../../bridge/use-settings-facts.js';
import { BannerPlace } from '../../components/BannerPlace.js';
import { Button } from '../../components/Button.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { useWords } from '../../words/index.js';
import { Composer } from './Composer.js';
import { DropZone } from './DropZone.js';
import { MessageLog } from './MessageLog.js';
import { useAttachments } from './use-attachments.js';
import { useChat } from './use-chat.js';

interface ChatRoomProps {
  readonly snapshot: Snapshot;
  readonly account: AccountSnapshot;
  /** The person has just opened it: writing is what comes next. */
  readonly opens: boolean;
}

/** One local chat: what was said, and the place to say more. */
export function ChatRoom({ snapshot, account, opens }: ChatRoomProps): ReactNode {
  const { t } = useWords();
  const refusalWords = useRefusalWords();
  const { value: settings } = useSettingsFacts();
  const chat = useChat(snapshot, account);
  const attachments = useAttachments(account.accountId, settings?.maxUploadBytes);
  return (
    <DropZone onFiles={attachments.add}>
      <div className="chat-banners">
        <BannerPlace />
        {chat.refusal !== undefined && (
          <Banner
            tone="attention"
            sign="attention"
            title={t('chat.read_failed.title')}
            actions={<Button onClick={chat.again}>{t('action.try_again')}</Button>}
          >
            <p>{refusalWords(chat.refusal)}</p>
            <p>{t('chat.read_failed.text')}</p>
          </Banner>
        )}
      </div>
      <MessageLog
        conversation={chat.value}
        account={account}
        paused={snapshot.paused}
        keptMs={settings?.pendingTtlMs}
      />
      <Composer accountId={account.accountId} attachments={attachments} onSent={chat.again} autoFocus={opens} />
    </DropZone>
  );
}
