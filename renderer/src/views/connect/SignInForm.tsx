import { type ReactNode, type SyntheticEvent, useState } from 'react';
import type { ConnectorSnapshot } from '../../../../src/bridge/index.js';
import { Banner } from '../../components/Banner.js';
import { Button } from '../../components/Button.js';
import { ButtonLink } from '../../components/ButtonLink.js';
import { LOCAL } from '../../shell/accounts-of.js';
import { href } from '../../shell/route.js';
import { useWords } from '../../words/index.js';
import { AuthFieldInput } from './AuthFieldInput.js';
import { type AuthField, fieldOf, inputOf, problemOf } from './fields.js';
import type { SignIn } from './sign-in-session.js';
import { signInValues } from './sign-in-values.js';

interface SignInFormProps {
  readonly connector: ConnectorSnapshot;
  /** As the network's card names them. */
  readonly fields: readonly AuthField[];
  readonly signIn: SignIn;
  /** What was given before, when the form is shown once more. */
  readonly given: Readonly<Record<string, string>>;
  readonly onSubmit: (input: Readonly<Record<string, string>>) => void;
  readonly onCancel: () => void;
}

/** A form from the card's own fields. Each value is looked at before the network is asked, and the network before anything is kept. */
export function SignInForm({ connector, fields, signIn, given, onSubmit, onCancel }: SignInFormProps): ReactNode {
  const words = useWords();
  const { t } = words;
  const [values, setValues] = useState(given);
  const [left, setLeft] = useState<ReadonlySet<string>>(new Set());
  /** The values that the network was asked with last. */
  const [asked, setAsked] = useState(given);
  const network = words.network(connector.name, connector.label);
  const checking = signIn.phase === 'starting' || signIn.phase === 'running';
  const failure = failureOf();

  function failureOf(): { readonly field: string | undefined; readonly text: string } | undefined {
    if (signIn.phase === 'ended' && signIn.facts.code !== 'canceled') {
      const { code } = signIn.facts;
      return { field: fieldOf(code, fields), text: words.code('signin', code, signInValues(connector, network)) };
    }
    if (signIn.phase !== 'refused') return undefined;
    const { code, message } = signIn.refusal;
    return { field: undefined, text: words.code('refusal', code, { detail: message }) };
  }

  /** A field's trouble: its shape once it was left, or what the network said of this very value. */
  function errorOf(field: AuthField): string | undefined {
    const value = values[field.name] ?? '';
    const shape = left.has(field.name) ? problemOf(field, value, words) : undefined;
    if (shape !== undefined) return shape;
    return failure?.field === field.name && value === (asked[field.name] ?? '') ? failure.text : undefined;
  }

  function submit(event: SyntheticEvent<HTMLFormElement>): void {
    event.preventDefault();
    setLeft(new Set(fields.map(({ name }) => name)));
    const wrong = fields.find((field) => problemOf(field, values[field.name] ?? '', words) !== undefined);
    if (wrong !== undefined) {
      event.currentTarget.querySelector<HTMLInputElement>(`[name="${CSS.escape(wrong.name)}"]`)?.focus();
      return;
    }
    setAsked(values);
    onSubmit(inputOf(fields, values));
  }

  return (
    <form className="form" noValidate onSubmit={submit}>
      {failure !== undefined && failure.field === undefined && (
        <Banner tone="danger" sign="danger" title={t('qr.ended')}>
          <p>{failure.text}</p>
        </Banner>
      )}
      {fields.map((field, index) => (
        <AuthFieldInput
          key={field.name}
          field={field}
          value={values[field.name] ?? ''}
          error={errorOf(field)}
          checking={
            checking && index === 0
              ? connector.name === LOCAL
                ? t('form.opening')
                : t('form.checking', { network })
              : undefined
          }
          readOnly={checking}
          onText={(text) => setValues({ ...values, [field.name]: text })}
          onLeave={() => setLeft(new Set([...left, field.name]))}
        />
      ))}
      <div className="acts">
        <Button submit kind="primary" busy={checking} disabled={fields.some((field) => errorOf(field) !== undefined)}>
          {t('connect.submit')}
        </Button>
        {checking ? (
          <Button onClick={onCancel}>{t('action.cancel')}</Button>
        ) : (
          <ButtonLink href={href('accounts')}>{t('action.cancel')}</ButtonLink>
        )}
      </div>
    </form>
  );
}
