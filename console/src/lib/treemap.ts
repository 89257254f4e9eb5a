// Lays rectangles out so that their areas are proportional to values, and none is a thin strip if that can be avoided: a squarified
// treemap (Bruls, Huizing and van Wijk, 2000). Pure, so that it can be tested.

export interface Rect {
  x: number
  y: number
  width: number
  height: number
}

/** The rectangles of values, which must be positive and in descending order, in a box of this size. */
export function squarified(values: number[], width: number, height: number): Rect[] {
  const total = values.reduce((sum, value) => sum + value, 0)
  if (!(total > 0) || !(width > 0) || !(height > 0)) return values.map(() => ({ x: 0, y: 0, width: 0, height: 0 }))
  const areas = values.map((value) => (value / total) * width * height)
  const rects: Rect[] = []
  let free: Rect = { x: 0, y: 0, width, height }
  let row: number[] = []
  for (let at = 0; at <= areas.length; at += 1) {
    const side = Math.min(free.width, free.height)
    const area = areas[at]
    if (area !== undefined && (row.length === 0 || worst([...row, area], side) <= worst(row, side))) {
      row.push(area)
      continue
    }
    free = place(row, free, rects)
    row = area === undefined ? [] : [area]
  }
  return rects
}

/** The worst ratio of sides in a row of these areas along a side. */
function worst(row: number[], side: number): number {
  const sum = row.reduce((all, area) => all + area, 0)
  const [largest, smallest] = [Math.max(...row), Math.min(...row)]
  return Math.max((side * side * largest) / (sum * sum), (sum * sum) / (side * side * smallest))
}

/** Places a row along the shorter side of the free box, and returns what is left of it. */
function place(row: number[], free: Rect, rects: Rect[]): Rect {
  const sum = row.reduce((all, area) => all + area, 0)
  const across = free.width >= free.height
  const depth = across ? sum / free.height : sum / free.width
  let at = across ? free.y : free.x
  for (const area of row) {
    const length = depth > 0 ? area / depth : 0
    rects.push(across ? { x: free.x, y: at, width: depth, height: length } : { x: at, y: free.y, width: length, height: depth })
    at += length
  }
  return across
    ? { ...free, x: free.x + depth, width: Math.max(0, free.width - depth) }
    : { ...free, y: free.y + depth, height: Math.max(0, free.height - depth) }
}

/** The largest items, and one for the rest: those beyond `most`, and those below a part of the whole. */
export function largest<T>(items: T[], valueOf: (item: T) => number, most: number, partMin: number): { items: T[]; rest: { count: number; value: number } } {
  const ordered = items.filter((item) => valueOf(item) > 0).sort((one, other) => valueOf(other) - valueOf(one))
  const total = ordered.reduce((sum, item) => sum + valueOf(item), 0)
  const shown = ordered.filter((item, index) => index < most && valueOf(item) >= partMin * total)
  const rest = ordered.slice(shown.length)
  return { items: shown, rest: { count: rest.length, value: rest.reduce((sum, item) => sum + valueOf(item), 0) } }
}
