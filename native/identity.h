/* Objects that are hashed by where they lie in memory, hashed by the order in which that was first asked instead.
 *
 * Part of recorder.c, which alone includes it: definitions, not declarations. The order of a set of such objects is then
 * the program's own doing. Concerns generators, coroutines, locks and classes that are made from now on, so no table that there
 * is already holds any of their instances. Done in the process of one program, never undone.
 */
#ifndef WORLDLINE_IDENTITY_H
#define WORLDLINE_IDENTITY_H

#include "compat.h"

static struct {
    hashfunc by_place;
    PyObject *known;  /* address -> (number, weak reference or type) */
    Py_hash_t newest;
} identity;

/* The object at this address is gone. */
static PyObject *forget(PyObject *address, PyObject *ref)
{
    if (PyDict_DelItem(identity.known, address) < 0)
        PyErr_Clear();
    Py_RETURN_NONE;
}

static PyMethodDef forget_def = {"forget", forget, METH_O, NULL};

/* What tells that the object is another one: a weak reference, which says so itself, or else its type. */
static PyObject *witness(PyObject *o, PyObject *address)
{
    PyObject *callback = PyCFunction_New(&forget_def, address);
    PyObject *ref = callback ? PyWeakref_NewRef(o, callback) : NULL;
    Py_XDECREF(callback);
    if (ref == NULL) {
        PyErr_Clear();
        ref = Py_NewRef(Py_TYPE(o));
    }
    return ref;
}

static Py_hash_t hash_by_number(PyObject *o)
{
    if (Py_TYPE(o) == &PyBaseObject_Type)
        return identity.by_place(o);
    PyObject *address = PyLong_FromVoidPtr(o), *entry = address ? PyDict_GetItemWithError(identity.known, address) : NULL;
    if (entry) {
        PyObject *known = PyTuple_GET_ITEM(entry, 1);
        if (PyWeakref_Check(known) || (PyObject *)Py_TYPE(o) == known) {
            Py_DECREF(address);
            return PyLong_AsSsize_t(PyTuple_GET_ITEM(entry, 0));
        }
    }
    Py_hash_t number = ++identity.newest;
    entry = address ? Py_BuildValue("(nN)", number, witness(o, address)) : NULL;
    if (entry == NULL || PyDict_SetItem(identity.known, address, entry) < 0)
        number = -1;
    Py_XDECREF(entry);
    Py_XDECREF(address);
    return number;
}

/* Locks too: `threading` keeps those of its threads in a set. */
static void number_locks(void)
{
    PyObject *m = PyImport_ImportModule("_thread");
    PyObject *kinds[] = {m ? PyObject_GetAttrString(m, "LockType") : NULL, m ? PyObject_GetAttrString(m, "RLock") : NULL};
    for (int i = 0; i < 2; i++) {
        if (kinds[i] && PyType_Check(kinds[i]) && ((PyTypeObject *)kinds[i])->tp_hash == identity.by_place)
            ((PyTypeObject *)kinds[i])->tp_hash = hash_by_number;
        Py_XDECREF(kinds[i]);
    }
    Py_XDECREF(m);
    PyErr_Clear();
}

static PyObject *number_hashes(PyObject *module, PyObject *unused)
{
    PyObject *found = PyDict_GetItemString(type_dict(&PyBaseObject_Type), "__hash__");
    if (found == NULL || !Py_IS_TYPE(found, &PyWrapperDescr_Type) || identity.known)
        Py_RETURN_NONE;
    identity.known = PyDict_New();
    if (identity.known == NULL)
        return NULL;
    identity.by_place = PyBaseObject_Type.tp_hash;
    ((PyWrapperDescrObject *)found)->d_wrapped = (void *)hash_by_number; /* classes made from now on take it from here */
    PyBaseObject_Type.tp_hash = hash_by_number;
    PyGen_Type.tp_hash = PyCoro_Type.tp_hash = PyAsyncGen_Type.tp_hash = hash_by_number; /* nobody keeps any yet */
    number_locks();
    Py_RETURN_NONE;
}

#endif
