export enum Kind { Name, Num, Op }
export type Unused = never;
export interface Token { kind: Kind; text: string }
export function parse(src: string): Token[] {
  return src.split(/\s+/).map((text): Token => ({
    text,
    kind: /^\d/.test(text) ? Kind.Num : /^\w/.test(text) ? Kind.Name : Kind.Op,
  }));
}
