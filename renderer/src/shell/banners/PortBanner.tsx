import type { ReactNode } from 'react';
import type { ServerSnapshot } from '../../../../src/bridge/index.js';
import { useCommand } from '../../bridge/index.js';
import { Banner } from '../../components/Banner.js';
import { Button } from '../../components/Button.js';
import { useToast } from '../../components/toasts.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { useTellRefusal } from '../../components/use-tell-refusal.js';
import { useWords } from '../../words/index.js';

type PortTaken = Extract<ServerSnapshot, { state: 'port_taken' }>;

/** Agents can't connect because another program has the port. Ports are names here: no grouping of their digits. */
export function PortBanner({ server }: { readonly server: PortTaken }): ReactNode {
  const { t } = useWords();
  const toast = useToast();
  const refusalWords = useRefusalWords();
  const tellRefusal = useTellRefusal();
  const settings = useCommand('set-settings');
  const again = useCommand('retry-port');
  const { holder, suggestedPort } = server;

  return (
    <Banner
      alert
      tone="danger"
      sign="danger"
      title={t('port.title', { port: String(server.port) })}
      actions={
        <>
          {suggestedPort !== undefined && (
            <Button kind="primary" busy={settings.busy} onClick={() => void move(suggestedPort)}>
              {t('port.use', { port: String(suggestedPort) })}
            </Button>
          )}
          <Button busy={again.busy} onClick={() => void again.run({}).then(tellRefusal)}>
            {t('action.try_again')}
          </Button>
        </>
      }
    >
      <p>{holder === undefined ? t('port.unknown') : t('port.by', { name: holder.name, pid: String(holder.pid) })}</p>
    </Banner>
  );

  async function move(port: number): Promise<void> {
    const outcome = await settings.run({ port });
    toast({ text: outcome.ok ? t('port.moved', { port: String(port) }) : refusalWords(outcome.refusal) });
  }
}
