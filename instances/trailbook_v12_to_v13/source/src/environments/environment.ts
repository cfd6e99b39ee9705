// Replaced by environment.prod.ts in production builds; see angular.json.
export const environment = {
  production: false,
  apiPrefix: 'api/',
};
