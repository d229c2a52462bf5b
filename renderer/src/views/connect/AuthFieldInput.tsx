import type { ReactNode } from 'react';
import { Field } from '../../components/Field.js';
import { Say } from '../../components/Say.js';
import { SecretInput } from '../../components/SecretInput.js';
import { TextInput } from '../../components/TextInput.js';
import { useWords } from '../../words/index.js';
import type { AuthField } from './fields.js';

interface AuthFieldInputProps {
  readonly field: AuthField;
  readonly value: string;
  readonly error: string | undefined;
  /** What is being looked up; undefined while nothing is. */
  readonly checking: string | undefined;
  readonly readOnly: boolean;
  readonly onText: (text: string) => void;
  /** The person went on to the next field. */
  readonly onLeave: () => void;
}

/** One field of a card's form: our own words where we have them, else the card's. */
export function AuthFieldInput(props: AuthFieldInputProps): ReactNode {
  const { field, value, error, checking, readOnly, onText, onLeave } = props;
  const { t, named } = useWords();
  const label = named('field', field.name, field.label);
  const help = named('field_help', field.name, field.help_text ?? '');
  const common = {
    name: field.name,
    value,
    readOnly,
    placeholder: field.placeholder,
    required: field.required,
    onText,
    // A field that is left empty on the way to another is not yet a mistake.
    onBlur: () => {
      if (value !== '') onLeave();
    },
  };
  return (
    <Field
      label={label}
      optional={field.required !== true}
      help={help === '' ? undefined : help}
      error={error}
      note={
        checking === undefined ? undefined : (
          <Say inline sign="busy" tone="busy">
            {checking}
          </Say>
        )
      }
    >
      {(ids) =>
        field.input_type === 'password' || field.secret === true ? (
          <SecretInput
            {...ids}
            {...common}
            showLabel={t('form.show', { field: label })}
            hideLabel={t('form.hide', { field: label })}
          />
        ) : (
          <TextInput {...ids} {...common} inputMode={field.name === 'chat_id' ? 'numeric' : undefined} />
        )
      }
    </Field>
  );
}
