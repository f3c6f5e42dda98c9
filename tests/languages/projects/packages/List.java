this is no Java
