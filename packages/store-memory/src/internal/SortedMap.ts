/**
 * A sorted map that never changes: every change makes another one, and the old one stays as it was.
 *
 * Rolling back is keeping the old map. It is a weight-balanced tree. A change copies the path to
 * the root and shares the rest. So a search, a change and a read from any place take logarithmic
 * time.
 *
 * @since 0.1.0
 */

interface Node<A> {
  readonly key: string
  readonly value: A
  readonly size: number
  readonly left: Node<A> | null
  readonly right: Node<A> | null
}

// The pair of bounds that is known to keep such trees balanced under any sequence of changes.
const delta = 3
const ratio = 2

const sizeOf = <A>(node: Node<A> | null): number => (node === null ? 0 : node.size)

const depthOf = <A>(node: Node<A> | null): number =>
  node === null ? 0 : 1 + Math.max(depthOf(node.left), depthOf(node.right))

const link = <A>(
  { key, value }: Pick<Node<A>, "key" | "value">,
  left: Node<A> | null,
  right: Node<A> | null
): Node<A> => ({ key, value, size: sizeOf(left) + sizeOf(right) + 1, left, right })

const rotateLeft = <A>(
  at: Pick<Node<A>, "key" | "value">,
  left: Node<A> | null,
  right: Node<A>
) => {
  const inner = right.left
  return inner === null || sizeOf(inner) < ratio * sizeOf(right.right)
    ? link(right, link(at, left, inner), right.right)
    : link(inner, link(at, left, inner.left), link(right, inner.right, right.right))
}

const rotateRight = <A>(
  at: Pick<Node<A>, "key" | "value">,
  left: Node<A>,
  right: Node<A> | null
) => {
  const inner = left.right
  return inner === null || sizeOf(inner) < ratio * sizeOf(left.left)
    ? link(left, left.left, link(at, inner, right))
    : link(inner, link(left, left.left, inner.left), link(at, inner.right, right))
}

const balance = <A>(
  at: Pick<Node<A>, "key" | "value">,
  left: Node<A> | null,
  right: Node<A> | null
): Node<A> => {
  const leftSize = sizeOf(left)
  const rightSize = sizeOf(right)
  if (leftSize + rightSize > 1) {
    if (right !== null && rightSize > delta * leftSize) return rotateLeft(at, left, right)
    if (left !== null && leftSize > delta * rightSize) return rotateRight(at, left, right)
  }
  return link(at, left, right)
}

const put = <A>(node: Node<A> | null, key: string, value: A): Node<A> => {
  if (node === null) return { key, value, size: 1, left: null, right: null }
  if (key < node.key) return balance(node, put(node.left, key, value), node.right)
  if (key > node.key) return balance(node, node.left, put(node.right, key, value))
  return { ...node, value }
}

const removeFirst = <A>(node: Node<A>): Node<A> | null =>
  node.left === null ? node.right : balance(node, removeFirst(node.left), node.right)

const firstOf = <A>(node: Node<A>): Node<A> => {
  let at = node
  while (at.left !== null) at = at.left
  return at
}

const remove = <A>(node: Node<A> | null, key: string): Node<A> | null => {
  if (node === null) return null
  if (key < node.key) return balance(node, remove(node.left, key), node.right)
  if (key > node.key) return balance(node, node.left, remove(node.right, key))
  if (node.left === null) return node.right
  if (node.right === null) return node.left
  return balance(firstOf(node.right), node.left, removeFirst(node.right))
}

/**
 * A sorted map that never changes.
 *
 * @category models
 * @since 0.1.0
 */
export class SortedMap<A> {
  readonly #root: Node<A> | null

  private constructor(root: Node<A> | null) {
    this.#root = root
  }

  /** A map without entries. */
  static empty<A>(): SortedMap<A> {
    return new SortedMap<A>(null)
  }

  /** How many entries there are. */
  get size(): number {
    return sizeOf(this.#root)
  }

  /** How many entries are passed at most on the way to one. */
  get depth(): number {
    return depthOf(this.#root)
  }

  /** The value at a key. */
  get(key: string): A | undefined {
    let node = this.#root
    while (node !== null) {
      if (key === node.key) return node.value
      node = key < node.key ? node.left : node.right
    }
    return undefined
  }

  /** The map with this value at this key. */
  put(key: string, value: A): SortedMap<A> {
    return new SortedMap(put(this.#root, key, value))
  }

  /** The map without this key. */
  remove(key: string): SortedMap<A> {
    return this.get(key) === undefined ? this : new SortedMap(remove(this.#root, key))
  }

  /**
   * Entries whose keys are in `[from, before)`, rising. It visits only the entries that are taken.
   */
  *rising(from = "", before?: string): Generator<readonly [key: string, value: A]> {
    const path: Array<Node<A>> = []
    let node = this.#root
    while (node !== null || path.length > 0) {
      while (node !== null) {
        if (node.key < from) node = node.right
        else {
          path.push(node)
          node = node.left
        }
      }
      const next = path.pop()
      if (next === undefined || (before !== undefined && next.key >= before)) return
      yield [next.key, next.value]
      node = next.right
    }
  }

  /**
   * Entries whose keys are in `[from, before)`, falling. It visits only the entries that are taken.
   */
  *falling(from = "", before?: string): Generator<readonly [key: string, value: A]> {
    const path: Array<Node<A>> = []
    let node = this.#root
    while (node !== null || path.length > 0) {
      while (node !== null) {
        if (before !== undefined && node.key >= before) node = node.left
        else {
          path.push(node)
          node = node.right
        }
      }
      const next = path.pop()
      if (next === undefined || next.key < from) return
      yield [next.key, next.value]
      node = next.left
    }
  }
}
