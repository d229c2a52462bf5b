import { type SubmitEvent, type ReactNode, useId, useState } from 'react';
import type { Snapshot } from '../../../../src/bridge/index.js';
import { useCommand } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { Say } from '../../components/Say.js';
import { TextInput } from '../../components/TextInput.js';
import { useRefusalWords } from '../../components/use-refusal-words.js';
import { useToast } from '../../components/toasts.js';
import { useWords, type Words } from '../../words/index.js';
import { readPort } from './port-text.js';

interface PortRowProps {
  /** As it is set; a row for another port is a new row. */
  readonly port: number;
  readonly server: Snapshot['server'];
  readonly onChanged: () => void;
}

/** The port agents connect to. It is checked as it is typed, and applies when the person says so. */
export function PortRow({ port, server, onChanged }: PortRowProps): ReactNode {
  const words = useWords();
  const { t } = words;
  const id = useId();
  const toast = useToast();
  const refusalWords = useRefusalWords();
  const set = useCommand('set-settings');
  const [text, setText] = useState(String(port));
  const reading = readPort(text);
  const changed = text.trim() !== String(port);
  const problem = 'problem' in reading ? t(`settings.server.port_problems.${reading.problem}`) : undefined;
  const error = problem ?? (set.refusal && refusalWords(set.refusal)) ?? takenWords(server, words);

  async function apply(event: SubmitEvent): Promise<void> {
    event.preventDefault();
    if ('problem' in reading || !changed) return;
    const outcome = await set.run({ port: reading.port });
    if (!outcome.ok) return;
    toast({ text: t('settings.server.applied', { port: String(outcome.result.port) }) });
    onChanged();
  }

  return (
    <form className="set stack flat" onSubmit={(event) => void apply(event)}>
      <div className="grow">
        <label htmlFor={id}>{t('settings.server.port')}</label>
        <div className="help" id={`${id}-help`}>
          {error === undefined ? (
            t('settings.server.port_help')
          ) : (
            <Say sign="danger" tone="danger">
              {error}
            </Say>
          )}
        </div>
      </div>
      <TextInput
        id={id}
        inputMode="numeric"
        value={text}
        aria-describedby={`${id}-help`}
        aria-invalid={error === undefined ? undefined : true}
        onText={(next) => {
          setText(next);
          set.reset();
        }}
      />
      {changed && (
        <Button submit kind="primary" busy={set.busy} disabled={problem !== undefined}>
          {t('settings.server.apply')}
        </Button>
      )}
    </form>
  );
}

function takenWords(server: Snapshot['server'], { t }: Words): string | undefined {
  if (server.state === 'listening') return undefined;
  const port = String(server.port);
  if (server.holder === undefined) return t('settings.server.port_taken', { port });
  return t('settings.server.port_taken_by', { port, name: server.holder.name, pid: String(server.holder.pid) });
}
