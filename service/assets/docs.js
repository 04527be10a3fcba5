// The validator would send the document's address to a server of Swagger's.
SwaggerUIBundle({ url: '/openapi.json', dom_id: '#reference', deepLinking: true, validatorUrl: null })
