import { type ReactNode, useState } from 'react';
import type { ApiKeySnapshot, Snapshot } from '../../../../src/bridge/index.js';
import { useShellCommand, useShellFacts } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { CopyLine } from '../../components/CopyLine.js';
import { Icon } from '../../components/Icon.js';
import { Section } from '../../components/Section.js';
import { useToast } from '../../components/toasts.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { KEY_COMMAND } from '../../shell/commands.js';
import { useWords } from '../../words/index.js';
import { RotateDialog } from './RotateDialog.js';

/** Stands for the part of the key that nobody needs to see. */
const DOTS = '•'.repeat(20);

/** The key that agents show: enough of it to tell two apart, and ways to copy or change it without ever showing it. */
export function ApiKey({ snapshot }: { readonly snapshot: Snapshot }): ReactNode {
  const { t } = useWords();
  const inBrowser = useShellFacts().kind === 'browser';
  const { apiKey } = snapshot;
  return (
    <Section title={t('agent.key.title')}>
      <div className="panel">
        <div className="set stack">
          <Icon name="key" />
          <div className="grow">
            {apiKey === undefined ? (
              <p>{t('agent.key.unread')}</p>
            ) : (
              <>
                <p className="mono">
                  <span aria-hidden="true">{DOTS}</span>
                  {apiKey.tail}
                </p>
                <KeyFacts apiKey={apiKey} kept={snapshot.secrets.kind} />
              </>
            )}
          </div>
          {apiKey !== undefined && !inBrowser && <KeyButtons apiKey={apiKey} snapshot={snapshot} />}
        </div>
        {inBrowser && (
          <div className="set in-browser">
            <div className="grow">
              <p className="help">{t('agent.key.browser')}</p>
              <CopyLine label={t('agent.key.command')} text={KEY_COMMAND} />
            </div>
          </div>
        )}
      </div>
    </Section>
  );
}

interface KeyFactsProps {
  readonly apiKey: ApiKeySnapshot;
  readonly kept: Snapshot['secrets']['kind'];
}

function KeyFacts({ apiKey: { createdAt, configured }, kept }: KeyFactsProps): ReactNode {
  const { t, format, language } = useWords();
  return (
    <p className="help">
      {[
        createdAt !== undefined && t('agent.key.made_on', { date: format.date(createdAt) }),
        configured ? t('agent.key.configured') : t(`agent.key.${kept}`),
      ]
        .filter(Boolean)
        // Full-width stops bring their own space.
        .join(language === 'zh' ? '' : ' ')}
    </p>
  );
}

function KeyButtons({ apiKey, snapshot }: { readonly apiKey: ApiKeySnapshot; readonly snapshot: Snapshot }): ReactNode {
  const { t } = useWords();
  const toast = useToast();
  const refusalWords = useRefusalWords();
  const copyKey = useShellCommand('copy-api-key');
  const [rotating, setRotating] = useState(false);

  async function copy(): Promise<void> {
    const outcome = await copyKey.run({});
    toast({ text: outcome.ok ? t('agent.key.copied') : refusalWords(outcome.refusal) });
  }

  return (
    <>
      <Button icon="copy" busy={copyKey.busy} onClick={() => void copy()}>
        {t('agent.key.copy')}
      </Button>
      {!apiKey.configured && <Button onClick={() => setRotating(true)}>{t('agent.key.rotate')}</Button>}
      {rotating && <RotateDialog snapshot={snapshot} onClose={() => setRotating(false)} />}
    </>
  );
}
