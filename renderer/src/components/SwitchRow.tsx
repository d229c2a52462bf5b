import { type ReactNode, useId } from 'react';
import { Switch } from './Switch.js';

interface SwitchRowProps {
  readonly label: string;
  readonly help?: string | undefined;
  readonly on: boolean;
  readonly disabled?: boolean;
  readonly onSwitch: (on: boolean) => void;
}

/** A setting that is on or off. */
export function SwitchRow({ label, help, on, disabled = false, onSwitch }: SwitchRowProps): ReactNode {
  const id = useId();
  return (
    <div className="set">
      <div className="grow">
        <label htmlFor={id}>{label}</label>
        {help !== undefined && (
          <p className="help" id={`${id}-help`}>
            {help}
          </p>
        )}
      </div>
      <Switch
        id={id}
        aria-describedby={help === undefined ? undefined : `${id}-help`}
        on={on}
        disabled={disabled}
        onSwitch={onSwitch}
      />
    </div>
  );
}
