// './x.js' in our sources means './x.ts' before the build; packages are left alone.
module.exports = (request, options) => {
  if (request.startsWith('.') && request.endsWith('.js') && !options.basedir.includes('/node_modules/')) {
    try {
      return options.defaultResolver(`${request.slice(0, -3)}.ts`, options);
    } catch {
      return options.defaultResolver(request, options);
    }
  }
  return options.defaultResolver(request, options);
};
