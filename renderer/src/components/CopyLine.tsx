import type { ReactNode } from 'react';
import { useWords } from '../words/index.js';
import { Button } from './Button.js';
import { TextInput } from './TextInput.js';
import { useCopy } from './use-copy.js';

interface CopyLineProps {
  readonly label: string;
  readonly text: string;
  readonly id?: string | undefined;
  readonly 'aria-describedby'?: string | undefined;
  /** Further buttons. */
  readonly children?: ReactNode;
}

/** A text that can be selected, and a button that copies it. */
export function CopyLine({ label, text, children, ...ids }: CopyLineProps): ReactNode {
  const { t } = useWords();
  const copy = useCopy();
  return (
    <div className="copyline">
      <TextInput readOnly aria-label={label} value={text} onFocus={({ target }) => target.select()} {...ids} />
      <Button icon="copy" onClick={() => copy(text)}>
        {t('action.copy')}
      </Button>
      {children}
    </div>
  );
}
