/**
 * The members of ports, as TypeScript counts them: properties, methods, and what a shape inherits.
 */
import { basename, join } from "node:path"
import { API } from "typescript/unstable/sync"
import type { CallExpression, Node, SourceFile, TypeNode } from "typescript/unstable/ast"
import { isCallExpression } from "typescript/unstable/ast/is"

/** Which type of a call is the shape of the port. */
const shapesAt: Readonly<Record<string, number>> = { "Context.Service": 1, "Context.Reference": 0 }

const shapeOf = (call: CallExpression, { text }: SourceFile): TypeNode | undefined => {
  const { end, pos } = call.expression
  const at = shapesAt[text.slice(pos, end).trim()]
  return at === undefined ? undefined : call.typeArguments?.[at]
}

/** The shapes of the services and references that a file declares. */
const shapesOf = (file: SourceFile): ReadonlyArray<TypeNode> => {
  const shapes: Array<TypeNode> = []
  const visit = (node: Node): void => {
    const shape = isCallExpression(node) ? shapeOf(node, file) : undefined
    if (shape !== undefined) shapes.push(shape)
    node.forEachChild(visit)
  }
  visit(file)
  return shapes
}

/** The names of the members of each port of a project, by the name of its file in `src/ports`. */
export const membersOf = (folder: string): ReadonlyMap<string, ReadonlyArray<string>> => {
  const api = new API({ cwd: folder })
  try {
    const config = join(folder, "tsconfig.json")
    const { checker, program, rootFiles } = api
      .updateSnapshot({ openProjects: [config] })
      .getProject(config)!
    const files = rootFiles.filter((path) => path.startsWith(join(folder, "src/ports/")))
    return new Map(
      files.map((path) => [
        basename(path, ".ts"),
        shapesOf(program.getSourceFile(path)!)
          .map((shape) => checker.getPropertiesOfType(checker.getTypeFromTypeNode(shape)!))
          .flatMap((members) => members.map(({ name }) => name))
      ])
    )
  } finally {
    api.close()
  }
}
