import { useEffect, useState, useSyncExternalStore } from 'react';
import { useBridge, useNow } from '../../bridge/index.js';
import { type SignIn, SignInSession } from './sign-in-session.js';

/** A sign-in of one network for as long as this view is there: followed while the window is seen, ended when it is left. */
export function useSignIn(
  connector: string,
  atOnce: boolean,
): { readonly signIn: SignIn; readonly session: SignInSession } {
  const bridge = useBridge();
  const now = useNow();
  const [session] = useState(() => new SignInSession(bridge, connector));
  const signIn = useSyncExternalStore(session.subscribe, session.state);

  useEffect(() => {
    if (atOnce) void session.begin();
    return () => session.cancel();
  }, [session, atOnce]);

  useEffect(() => void session.follow(), [session, now]);

  return { signIn, session };
}
