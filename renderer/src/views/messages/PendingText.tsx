import { type ReactNode, useState } from 'react';
import { useCommand } from '../../bridge/index.js';
import { LinkButton } from '../../components/LinkButton.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { useWords } from '../../words/index.js';
import type { PendingMessage } from './queues.js';

interface PendingTextProps {
  readonly accountId: string;
  readonly message: PendingMessage;
}

/** The first words of a message that waits, and all of them for who asks. Only shown when the person chose to see text. */
export function PendingText({ accountId, message: { messageId, preview, length } }: PendingTextProps): ReactNode {
  const { t } = useWords();
  const refusalWords = useRefusalWords();
  const { run, busy, refusal } = useCommand('preview');
  const [whole, setWhole] = useState<string>();
  if (preview === '') return null;

  async function showAll(): Promise<void> {
    const outcome = await run({ accountId, messageId });
    if (outcome.ok) setWhole(outcome.result.text);
  }

  const isCut = whole === undefined && Array.from(preview).length < length;
  return (
    <p className="words" dir="auto">
      {whole ?? preview}
      {isCut && (
        <>
          {'… '}
          <LinkButton busy={busy} onClick={() => void showAll()}>
            {t('messages.show_all')}
          </LinkButton>
        </>
      )}
      {refusal !== undefined && <span className="tx-danger"> {refusalWords(refusal)}</span>}
    </p>
  );
}
