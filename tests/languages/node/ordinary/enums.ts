// enums const and string, satisfies, as const, unions, type guards
enum Dir {
  Up = 1,
  Down,
  Left = Up << 3,
  Right = 'r'.length,
}
const enum Level {
  Low = 'low',
  High = 'high',
}
enum Mixed { A = 'a', B = 2, C }
type Shape = { kind: 'circle'; r: number } | { kind: 'rect'; w: number; h: number };
const palette = { red: [255, 0, 0], green: '#0f0' } satisfies Record<string, string | number[]>;
const modes = ['on', 'off'] as const;
type Mode = (typeof modes)[number];
function isRect(s: Shape): s is Extract<Shape, { kind: 'rect' }> {
  return s.kind === 'rect';
}
function area(s: Shape): number {
  switch (s.kind) {
    case 'circle':
      return Math.round(s.r * s.r * 3);
    case 'rect':
      return s.w * s.h;
    default: {
      const never: never = s;
      throw new Error(`no ${never}`);
    }
  }
}
let mode: Mode = modes[0];
const level: Level = Level.High;
const list: Shape[] = [{ kind: 'circle', r: 2 }, { kind: 'rect', w: 2, h: 3 }];
const rects = list.filter(isRect);
const total = list.map(area).reduce((a, b) => a + b, 0);
mode = 'off' as Mode;
console.log(Dir.Left, Dir[2], Dir.Right, level, Mixed.C, Mixed[2], palette.red[0], mode, rects.length, total);
// => 8 Down 1 high 3 B 255 off 1 18
