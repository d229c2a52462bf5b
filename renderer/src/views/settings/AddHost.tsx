import { type SubmitEvent, type ReactNode, useState } from 'react';
import { Button } from '../../components/Button.js';
import { Field } from '../../components/Field.js';
import { TextInput } from '../../components/TextInput.js';
import { useWords } from '../../words/index.js';
import { cleanHostName, hostNameProblem } from './host-name.js';

interface AddHostProps {
  readonly known: readonly string[];
  readonly busy: boolean;
  readonly onAdd: (name: string) => void;
  readonly onCancel: () => void;
}

/** One more name; what is wrong with it is said when it is to be added, and while it is mended. */
export function AddHost({ known, busy, onAdd, onCancel }: AddHostProps): ReactNode {
  const { t } = useWords();
  const [text, setText] = useState('');
  const [tried, setTried] = useState(false);
  const name = cleanHostName(text);
  const problem = hostNameProblem(name, known);

  function submit(event: SubmitEvent): void {
    event.preventDefault();
    setTried(true);
    if (problem === undefined) onAdd(name);
  }

  return (
    <form className="form add-host" onSubmit={submit}>
      <Field
        label={t('settings.server.host_name')}
        error={tried && problem !== undefined ? t(`settings.server.host_problems.${problem}`) : undefined}
      >
        {(ids) => (
          <TextInput
            {...ids}
            mono
            autoFocus
            value={text}
            placeholder={t('settings.server.host_name_hint')}
            onText={setText}
          />
        )}
      </Field>
      <div className="acts">
        <Button submit kind="primary" busy={busy}>
          {t('settings.server.host_add')}
        </Button>
        <Button kind="quiet" onClick={onCancel}>
          {t('action.cancel')}
        </Button>
      </div>
    </form>
  );
}
