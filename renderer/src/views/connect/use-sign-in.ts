import { useCallback, useEffect, useState, useSyncExternalStore } from 'react';
import { useBridge, useTick } from '../../bridge/index.js';
import { type SignIn, SignInSession } from './sign-in-session.js';

/** A sign-in of one network for as long as this view is there: followed while the window is seen, ended when it is left. */
export function useSignIn(
  connector: string,
  atOnce: boolean,
): { readonly signIn: SignIn; readonly session: SignInSession } {
  const bridge = useBridge();
  const [session] = useState(() => new SignInSession(bridge, connector));
  const signIn = useSyncExternalStore(session.subscribe, session.state);

  useEffect(() => {
    if (atOnce) void session.begin();
    return () => session.cancel();
  }, [session, atOnce]);

  useTick(useCallback(() => void session.follow(), [session]));

  return { signIn, session };
}
