import { type ReactNode, useState } from 'react';
import { useCommand } from '../../bridge/index.js';
import { Button } from '../../components/Button.js';
import { IconButton } from '../../components/IconButton.js';
import { useToast } from '../../components/toasts.js';
import { Refusal } from '../../components/Refusal.js';
import { useWords } from '../../words/index.js';
import { AddHost } from './AddHost.js';
import { OWN_NAMES } from './host-name.js';

interface HostsRowProps {
  /** Those that the person added. */
  readonly names: readonly string[];
  readonly onChanged: () => void;
}

/** Names under which agents may reach this computer; any other is refused. */
export function HostsRow({ names, onChanged }: HostsRowProps): ReactNode {
  const { t } = useWords();
  const toast = useToast();
  const set = useCommand('set-settings');
  const [adding, setAdding] = useState(false);

  async function change(next: readonly string[], said: string, undo?: () => void): Promise<boolean> {
    const outcome = await set.run({ allowedHosts: [...next] });
    if (!outcome.ok) return false;
    toast({ text: said, ...(undo && { undo }) });
    onChanged();
    return true;
  }

  function remove(name: string): void {
    const without = names.filter((known) => known !== name);
    void change(without, t('settings.server.host_removed', { name }), () => {
      void change(names, t('settings.server.host_added', { name }));
    });
  }

  return (
    <div className="set">
      <div className="grow">
        <p>{t('settings.server.hosts')}</p>
        <p className="help">{t('settings.server.hosts_help')}</p>
        <ul className="tags">
          {OWN_NAMES.map((name) => (
            <li key={name} className="tag plain mono">
              {name}
            </li>
          ))}
          {names.map((name) => (
            <li key={name} className="tag mono">
              {name}
              <IconButton
                icon="x"
                label={t('settings.server.host_remove', { name })}
                busy={set.busy}
                onClick={() => remove(name)}
              />
            </li>
          ))}
          {!adding && (
            <li>
              <Button small kind="quiet" icon="plus" onClick={() => setAdding(true)}>
                {t('settings.server.hosts_add')}
              </Button>
            </li>
          )}
        </ul>
        {adding && (
          <AddHost
            known={names}
            busy={set.busy}
            onCancel={() => setAdding(false)}
            onAdd={(name) => {
              void change([...names, name], t('settings.server.host_added', { name })).then((done) => setAdding(!done));
            }}
          />
        )}
        <Refusal of={set.refusal} />
      </div>
    </div>
  );
}
