/** What a view is given: the parts of its address after its own name, such as `connect`, `wechat`. */
export interface ViewProps {
  readonly path: readonly string[];
}
