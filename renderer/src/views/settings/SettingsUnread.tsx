import type { ReactNode } from 'react';
import type { CommandRefused } from '../../bridge/index.js';
import { Banner } from '../../components/Banner.js';
import { Button } from '../../components/Button.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { useWords } from '../../words/index.js';

interface SettingsUnreadProps {
  readonly refusal: CommandRefused;
  readonly onAgain: () => void;
}

/** The host did not say how it is set. */
export function SettingsUnread({ refusal, onAgain }: SettingsUnreadProps): ReactNode {
  const { t } = useWords();
  const refusalWords = useRefusalWords();
  return (
    <Banner
      tone="attention"
      sign="attention"
      title={t('settings.failed.title')}
      actions={<Button onClick={onAgain}>{t('action.try_again')}</Button>}
    >
      <p>{refusalWords(refusal)}</p>
    </Banner>
  );
}
