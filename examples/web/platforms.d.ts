// The types that the examples need; the platforms themselves would be hundreds of packages.
declare module '@sveltejs/kit' {
  export type RequestHandler = (event: {
    readonly request: Request
    getClientAddress(): string
  }) => Response | Promise<Response>
}

declare module '@netlify/functions' {
  export interface Context {
    readonly ip: string
  }
  export interface Config {
    readonly path: string
  }
}

declare module 'firebase-functions/https' {
  export function onRequest(
    options: { readonly secrets: readonly string[] },
    handler: (
      req: import('express').Request,
      res: import('express').Response,
    ) => void,
  ): (
    req: import('express').Request,
    res: import('express').Response,
  ) => void
}
