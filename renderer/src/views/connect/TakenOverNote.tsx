import type { ReactNode } from 'react';
import { Say } from '../../components/Say.js';
import { useWords } from '../../words/index.js';

/** Another program takes the bot's messages, the person's Start among them. */
export function TakenOverNote(): ReactNode {
  const { t } = useWords();
  return (
    <Say sign="attention" tone="attention">
      {t('signin.telegram_taken_over')}
    </Say>
  );
}
