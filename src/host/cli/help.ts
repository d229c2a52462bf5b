export const HELP = `xAgent Connector: connects your own chat accounts to an AI agent on this machine.

  serve      [--port N] [--ready-json]     run the connector host until it is stopped
  doctor     [--json]                      check what the host needs and say what to do
  accounts   [--json]                      who is signed in
  sign-in    <connector> [--input-stdin]   sign in: a QR code here, or the form's fields
  sign-out   <account>                     end a sign-in everywhere, named as accounts prints it: acc_…
  ui                                       print a link that opens the window in a browser, once
  api-key    [--rotate]                    print the key that agents need, or make a new one

Every command takes
  --data-dir DIR    where the host keeps its data
  --config FILE     configuration file (default: config.json in the data directory, when there is one)

  --help, --version

Exit codes: 0 done, 1 not possible (the reason is printed), 2 asked wrongly.`;
