import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;

/**
 * A project's classes and files, which stand before its libraries, as on Maven's class path.
 *
 * <p>Those of Java and of JUnit, which runs the tests, are the same for all.
 */
class ProjectLoader extends URLClassLoader {
    private static final String[] SHARED = {
        "junit.", "org.junit.", "org.hamcrest.", "org.opentest4j.", "org.apiguardian."
    };
    private final ClassLoader platform = ClassLoader.getSystemClassLoader().getParent();

    ProjectLoader(URL[] urls, ClassLoader libraries) {
        super(urls, libraries);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        synchronized (getClassLoadingLock(name)) {
            Class<?> known = findLoadedClass(name);
            if (known == null && !isShared(name)) {
                known = own(name);
            }
            return known == null ? super.loadClass(name, resolve) : known;
        }
    }

    private Class<?> own(String name) throws ClassNotFoundException {
        try {
            return platform.loadClass(name);
        } catch (ClassNotFoundException error) {
            try {
                return findClass(name);
            } catch (ClassNotFoundException other) {
                return null;
            }
        }
    }

    private static boolean isShared(String name) {
        for (String each : SHARED) {
            if (name.startsWith(each)) {
                return true;
            }
        }
        return false;
    }

    @Override
    public URL getResource(String name) {
        URL own = platform.getResource(name);
        own = own == null ? findResource(name) : own;
        return own == null ? super.getResource(name) : own;
    }

    @Override
    public Enumeration<URL> getResources(String name) throws IOException {
        List<URL> found = Collections.list(findResources(name));
        found.addAll(Collections.list(getParent().getResources(name)));
        return Collections.enumeration(found);
    }
}
