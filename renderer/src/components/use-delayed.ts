import { useEffect, useState } from 'react';

/** False at first, true after this many milliseconds. */
export function useDelayed(ms: number): boolean {
  const [is, setIs] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setIs(true), ms);
    return () => clearTimeout(timer);
  }, [ms]);
  return is;
}
