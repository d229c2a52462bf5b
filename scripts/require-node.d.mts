/** Whether a version, such as `20.12.2`, is in a range of alternatives such as `^20.19 || >=22.12.0`. */
export function accepts(range: string, version: string): boolean;
