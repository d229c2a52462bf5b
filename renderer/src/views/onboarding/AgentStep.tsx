import type { ReactNode } from 'react';
import { agentsConnected, type Snapshot } from '../../../../src/bridge/index.js';
import { useShellCommand, useShellFacts, useSnapshot } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { CopyLine } from '../../components/CopyLine.js';
import { useToast } from '../../components/toasts.js';
import { useCopy } from '../../components/use-copy.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { WaitingForHost } from '../../components/WaitingForHost.js';
import { LOCAL } from '../../shell/accounts-of.js';
import { KEY_COMMAND } from '../../shell/commands.js';
import { href } from '../../shell/route.js';
import { useWords } from '../../words/index.js';
import { AgentArrival } from './AgentArrival.js';

/** What the agent has to be told, and whether it came. */
export function AgentStep(): ReactNode {
  const { t } = useWords();
  const snapshot = useSnapshot();
  return (
    <>
      <div>
        <h1 tabIndex={-1}>{t('onboarding.agent.title')}</h1>
        <p className="lead">{t('onboarding.agent.lead')}</p>
      </div>
      {snapshot === undefined ? (
        <WaitingForHost shape="rows" rows={3} />
      ) : (
        <div className="panel">
          <BaseUrl snapshot={snapshot} />
          <Key snapshot={snapshot} />
          <AgentArrival snapshot={snapshot} />
        </div>
      )}
      {snapshot !== undefined && agentsConnected(snapshot) > 0 && (
        <div>
          <ButtonLink icon="chat" href={href('chat')}>
            {t('onboarding.agent.try_it')}
          </ButtonLink>
        </div>
      )}
    </>
  );
}

/** Of the first network with an account; of the local chat while there is none. */
function BaseUrl({ snapshot: { connectors } }: { readonly snapshot: Snapshot }): ReactNode {
  const { t } = useWords();
  const copy = useCopy();
  const connector =
    connectors.find(({ name, accounts }) => name !== LOCAL && accounts.length > 0) ??
    connectors.find(({ name }) => name === LOCAL) ??
    connectors[0];
  if (connector === undefined) return null;
  const { baseUrl } = connector;
  return (
    <div className="set stack flat">
      <div className="grow">
        <p className="small tx-2">{t('onboarding.agent.url')}</p>
        <p className="mono">{baseUrl}</p>
      </div>
      <Button
        icon="copy"
        aria-label={t('onboarding.agent.copy_url')}
        onClick={() => copy(baseUrl, t('agent.urls.copied'))}
      >
        {t('action.copy')}
      </Button>
    </div>
  );
}

const DOTS = '•'.repeat(12);

function Key({ snapshot: { apiKey } }: { readonly snapshot: Snapshot }): ReactNode {
  const { t } = useWords();
  const toast = useToast();
  const refusalWords = useRefusalWords();
  const { run, busy } = useShellCommand('copy-api-key');
  const inBrowser = useShellFacts().kind === 'browser';

  async function copyKey(): Promise<void> {
    const outcome = await run({});
    toast({ text: outcome.ok ? t('agent.key.copied') : refusalWords(outcome.refusal) });
  }

  return (
    <div className={inBrowser ? 'set' : 'set stack flat'}>
      <div className="grow">
        <p className="small tx-2">{t('onboarding.agent.key')}</p>
        <p className={apiKey && 'mono'}>{apiKey === undefined ? t('agent.key.unread') : `${DOTS}${apiKey.tail}`}</p>
        {inBrowser && (
          <>
            <p className="help">{t('agent.key.browser')}</p>
            <CopyLine label={t('agent.key.command')} text={KEY_COMMAND} />
          </>
        )}
      </div>
      {!inBrowser && (
        <Button
          icon="copy"
          aria-label={t('onboarding.agent.copy_key')}
          busy={busy}
          disabled={apiKey === undefined}
          onClick={() => void copyKey()}
        >
          {t('action.copy')}
        </Button>
      )}
    </div>
  );
}
