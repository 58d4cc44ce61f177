/** Of the parser of PromQL, the parts that the tests use. */
declare module "@prometheus-io/lezer-promql" {
  interface Node {
    type: { isError: boolean };
    name: string;
    from: number;
    to: number;
  }
  export const parser: { parse(text: string): { iterate(visit: { enter(node: Node): void }): void } };
}
