import Module from 'node:module'

/** A binding of a function to what calls it, by its name. */
interface Metadata {
  readonly bindings: {
    readonly [name: string]: { readonly direction: 'in' | 'out' }
  }
}

type Handler = (...inputs: readonly unknown[]) => unknown

/** What the library gives to its host. */
interface Model {
  getInvocationModel(invocation: object): {
    getArguments(): Promise<{
      readonly context: object
      readonly inputs: readonly unknown[]
    }>
    invokeFunction(
      context: object,
      inputs: readonly unknown[],
      handler: Handler,
    ): Promise<unknown>
    getResponse(
      context: object,
      result: unknown,
    ): Promise<{ readonly returnValue: { readonly http: Answer } }>
  }
}

interface Answer {
  readonly statusCode: string
  readonly body: {
    readonly bytes?: Uint8Array
    readonly string?: string
  }
}

/** A request as the host passes it on. */
export interface RpcRequest {
  readonly method: string
  readonly url: string
  readonly headers: { readonly [name: string]: string }
  readonly body: { readonly bytes: Uint8Array }
}

let model: Model | undefined
let registered:
  | { readonly metadata: Metadata; readonly handler: Handler }
  | undefined

/** The library asks for it once, and keeps it for every program. */
const core = {
  setProgrammingModel: (given: Model) => {
    model = given
  },
  registerFunction: (metadata: Metadata, handler: Handler) => {
    registered = { metadata, handler }
  },
  log() {},
}

/**
 * Stands in for the host of Azure Functions, which gives the real library its module `@azure/functions-core` and then sends it
 * messages. Loads a program with one function, and returns how the host invokes that function.
 */
export async function azureFunction(
  load: () => Promise<unknown>,
): Promise<(http: RpcRequest) => Promise<Answer>> {
  const { require } = Module.prototype
  Module.prototype.require = function (
    this: NodeJS.Module,
    id: string,
  ) {
    return id === '@azure/functions-core'
      ? core
      : require.call(this, id)
  } as NodeJS.Require
  await load().finally(() => {
    Module.prototype.require = require
  })
  if (!model || !registered)
    throw new Error('the program registered no function')
  const { metadata, handler } = registered
  const { getInvocationModel } = model
  return async (http) => {
    const [name] =
      Object.entries(metadata.bindings).find(
        ([, { direction }]) => direction === 'in',
      ) ?? []
    const request = { inputData: [{ name, data: { http } }] }
    const invocation = getInvocationModel({
      invocationId: '1',
      metadata,
      request,
      log() {},
    })
    const { context, inputs } = await invocation.getArguments()
    const result = await invocation.invokeFunction(
      context,
      inputs,
      handler,
    )
    return (await invocation.getResponse(context, result)).returnValue
      .http
  }
}
