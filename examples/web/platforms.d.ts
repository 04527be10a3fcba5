// The one type that the SvelteKit example needs; SvelteKit itself would be a hundred packages.
declare module '@sveltejs/kit' {
  export type RequestHandler = (event: {
    readonly request: Request
    getClientAddress(): string
  }) => Response | Promise<Response>
}
